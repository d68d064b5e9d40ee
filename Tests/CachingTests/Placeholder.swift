// Placeholder of the skeleton: delete it with the first real file.
