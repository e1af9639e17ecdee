"""The views world: solids of unit cubes and their orthographic views (``docs/views.md``)."""
