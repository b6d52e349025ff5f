"""What a scene can name: a folder for every family, a file for every part."""
