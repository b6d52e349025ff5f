"""Pictures of recorded frames: scenes, movies, plots of a run. Nothing here touches a display or a global figure."""
