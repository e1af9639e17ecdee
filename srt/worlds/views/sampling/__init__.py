"""Problems of the views world: drawn, proved by a second method, and put into words."""
