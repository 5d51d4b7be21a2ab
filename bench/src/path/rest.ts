export const measureRest = async (_: unknown): Promise<void> => {}
