"""What runs a run: timeline, schedule, plan, session, start, progress, checkpoints, resuming, summary."""
