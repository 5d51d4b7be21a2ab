import type { AssignmentSealer } from './seal-assignments.ts'

/** For checks without secrets. */
export const sealsNothing: AssignmentSealer = { seal: async (assignments) => [...assignments] }
