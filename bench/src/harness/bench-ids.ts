/** The id of the n-th check: the same in every process and run. */
export const checkIdOf = (n: number): string => `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
