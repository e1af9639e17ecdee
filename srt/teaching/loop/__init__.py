"""The loop on one problem: draft, machine, Reviewer, Checker, until a trace is accepted or given up."""
