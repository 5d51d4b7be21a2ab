/** The result of one check. `next` is what to do, if anything. */
export type Finding = {
  level: 'ok' | 'warning' | 'broken'
  topic: string
  message: string
  next?: string
  /** How far a clock is ahead of this machine's. */
  skewMs?: number
}

/** The facts of one part, or why they are unavailable. */
export type Gathered<T> = { ok: true; facts: T } | Unanswered

/** `ownDelayMs`: it did not answer in time, and this machine was too busy to conclude anything from that. */
export type Unanswered = { ok: false; why: string; code?: string; ownDelayMs?: number }

export const ok = (topic: string, message: string): Finding => ({ level: 'ok', topic, message })
export const warning = (topic: string, message: string, next: string): Finding => ({
  level: 'warning',
  topic,
  message,
  next,
})
export const broken = (topic: string, message: string, next: string): Finding => ({
  level: 'broken',
  topic,
  message,
  next,
})

/** A part that does not answer. On a busy machine that is no proof that it is dead. */
export const unanswered = (topic: string, gathered: Unanswered, message: string, next: string): Finding =>
  gathered.ownDelayMs === undefined
    ? broken(topic, message, next)
    : warning(
        topic,
        `${message} This machine is busy: the doctor itself ran up to ${gathered.ownDelayMs} ms late.`,
        `Run the doctor again when the machine is less busy ("uptime" shows its load). If the finding stays: ${next}`,
      )

/** `12 s`, `3 min`, `5 h`, `4 days`. @param ms an age, at least 0 */
export const shownAge = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

/** `1.5 GB`, of 10^9. */
export const shownBytes = (bytes: number): string => {
  const [size, unit] =
    bytes >= 1e9 ? [bytes / 1e9, 'GB'] : bytes >= 1e6 ? [bytes / 1e6, 'MB'] : [bytes / 1e3, 'kB']
  return `${size.toFixed(1)} ${unit}`
}
