/** A time as people read it, ms: two digits below 10, whole above. */
export const roundedMs = (ms: number): number => (ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms))
