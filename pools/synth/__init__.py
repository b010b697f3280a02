"""Made-up fleets of real hardware: pool objects in the shape that real drivers publish."""
