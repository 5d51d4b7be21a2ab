/**
 * A rota by another hand: a clock on the wall is read every quarter of an hour. It shares no code with the product
 * and knows no time zones but those of Intl.
 */
export type ModelLayer = {
  userIds: string[]
  handOver: string
  until: string | null
  length: number
  unit: 'days' | 'weeks' | 'on_call_days'
  startDate: string
  weekdays: number[]
}

const quarterMs = 900_000
const dayMs = 86_400_000

/** What a clock shows at each quarter of an hour. */
type Clock = readonly { ms: number; date: string; time: string }[]
const clocks = new Map<string, Clock>()

export const clockOf = (timeZone: string, fromMs: number, toMs: number): Clock => {
  const key = `${timeZone} ${fromMs} ${toMs}`
  const known = clocks.get(key)
  if (known !== undefined) return known
  const face = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  })
  const shown = Array.from({ length: (toMs - fromMs) / quarterMs }, (_, index) => {
    const ms = fromMs + index * quarterMs
    const [date = '', time = ''] = face.format(ms).split(', ')
    return { ms, date, time }
  })
  clocks.set(key, shown)
  return shown
}

const following = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
/** Monday is 1. */
const weekdayOf = (date: string): number => new Date(date).getUTCDay() || 7

/** Whose turn each day from the first one is: the turns are dealt day by day, as with a pen on paper. */
const dealt = (layer: ModelLayer, days: number): Map<string, string | null> => {
  const { userIds, length, unit, startDate, weekdays } = layer
  const paper = new Map<string, string | null>()
  let [at, left] = [0, length * (unit === 'weeks' ? 7 : 1)]
  for (let day = 0; day < days; day++) {
    const date = following(startDate, day)
    const isOn = weekdays.includes(weekdayOf(date))
    paper.set(date, isOn ? (userIds[at] ?? null) : null)
    if (unit === 'on_call_days' && !isOn) continue
    left -= 1
    if (left > 0) continue
    at = at + 1 === userIds.length ? 0 : at + 1
    left = length * (unit === 'weeks' ? 7 : 1)
  }
  return paper
}

/** Who is on call at each quarter of an hour; the clock begins days before the first shift that counts. */
export const modelRota = (layers: readonly ModelLayer[], clock: Clock): (string | null)[] => {
  const papers = layers.map((layer) => {
    const last = clock.at(-1)?.date ?? layer.startDate
    return dealt(layer, Math.max(0, (Date.parse(last) - Date.parse(layer.startDate)) / dayMs + 2))
  })
  const began = layers.map(() => '')
  const ended = layers.map(() => '')
  return clock.map(({ date, time }) => {
    let who: string | null = null
    for (const [index, { handOver, until }] of layers.entries()) {
      const day = time >= handOver ? date : following(date, -1)
      if (day > (began[index] ?? '')) began[index] = day
      if (until !== null) {
        const end = time >= until ? date : following(date, -1)
        if (end > (ended[index] ?? '')) ended[index] = end
      }
      const turn = began[index] ?? ''
      const isOver = until !== null && (ended[index] ?? '') >= (until > handOver ? turn : following(turn, 1))
      const member = papers[index]?.get(turn) ?? null
      if (!isOver && member !== null) who = member
    }
    return who
  })
}

/** Days on call of each member in some days from the first one. */
export const daysOnCall = (layer: ModelLayer, days: number): Map<string, number> => {
  const counts = new Map(layer.userIds.map((userId) => [userId, 0]))
  for (const member of dealt(layer, days).values())
    if (member !== null) counts.set(member, (counts.get(member) ?? 0) + 1)
  return counts
}
