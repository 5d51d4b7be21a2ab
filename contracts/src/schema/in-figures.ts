/** A count with its thousands apart, such as 12,000. */
export const inFigures = (count: number): string => count.toLocaleString('en-US')
