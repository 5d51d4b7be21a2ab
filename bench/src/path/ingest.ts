export const measureIngest = async (_: unknown): Promise<void> => {}
