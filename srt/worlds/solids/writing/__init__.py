"""Problems, steps and solutions as text and as drawings."""
