const secondsPer = { minute: 60, hour: 3_600, day: 86_400 }

/** A value that was not measured or not reported. */
export const none = '-'

/** `12 s`, `5 min`, `3 h 5 min`, `2 d 3 h`: the two largest units, rounded down. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  const { minute, hour, day } = secondsPer
  if (whole < minute) return `${whole} s`
  if (whole < hour) return `${Math.floor(whole / minute)} min`
  const [unit, name, part, partName] = whole < day ? [hour, 'h', minute, 'min'] : [day, 'd', hour, 'h']
  const rest = Math.floor((whole % (unit as number)) / (part as number))
  return `${Math.floor(whole / (unit as number))} ${name}${rest === 0 ? '' : ` ${rest} ${partName}`}`
}

/** `12 s`, `3 h`: the largest unit, rounded down. */
export const age = (seconds: number): string => duration(seconds).replace(/ \d+ \w+$/, '')

/** `12 s ago`, `3 h ago`: the largest unit; a time ahead of this clock is `0 s ago`. */
export const ago = (instant: string | null, nowMs: number): string => {
  if (instant === null) return 'never'
  const atMs = Date.parse(instant)
  return Number.isNaN(atMs) ? 'at an unknown time' : `${age((nowMs - atMs) / 1000)} ago`
}

/** `2026-11-20 12:00:00Z`. */
export const time = (instant: string | null): string => {
  if (instant === null) return 'never'
  const atMs = Date.parse(instant)
  if (Number.isNaN(atMs)) return 'an unknown time'
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** `2026-11-20 12:00:00Z (12 s ago)`. */
export const timeAndAge = (instant: string | null, nowMs: number): string =>
  instant === null ? 'never' : `${time(instant)} (${ago(instant, nowMs)})`

/** Milliseconds without unit: one decimal below 100. */
export const bareMs = (ms: number | null): string =>
  ms === null ? none : ms < 99.95 ? ms.toFixed(1) : String(Math.round(ms))

export const milliseconds = (ms: number | null): string => (ms === null ? none : `${bareMs(ms)} ms`)

/** A share as a percentage, rounded down so that any downtime is below 100 %. */
export const percent = (share: number | null): string => {
  if (share === null) return 'no data'
  // 0.9999 * 10_000 is a little less than 9999 in binary
  const hundredths = Math.floor(Number((share * 10_000).toFixed(6)))
  return `${(hundredths / 100).toFixed(hundredths === 10_000 ? 0 : 2)} %`
}
