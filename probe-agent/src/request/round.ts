/** Milliseconds as in readings, rounded to 0.1. */
export const roundMs = (ms: number): number => Math.round(ms * 10) / 10
