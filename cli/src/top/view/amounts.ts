/** An age or a duration in its largest unit, such as `12 s` or `3 h`; at most six characters. */
export const showAge = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** A latency, such as `0.4 ms`, `123 ms` or `12.3 s`; at most seven characters. */
export const showLatency = (ms: number): string => {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  return ms < 9_999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** A share of time as a percentage that is never rounded up to 100. */
export const showShare = (share: number | null): string => {
  if (share === null) return 'no data'
  return `${(Math.floor(share * 100_000) / 1_000).toFixed(share === 1 ? 0 : 3)}%`
}

export const showTime = (ms: number): string => new Date(ms).toISOString().slice(11, 19)
