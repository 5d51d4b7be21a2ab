/** A message as it was received. `atMs`: when it arrived, Unix ms. */
export type Told = { id: string; receiver: string; atMs: number; title: string; text: string }

/** A change of a check's status, as the stream of events says it, or `paused`. */
export type Change = { check: string; to: string; atMs: number }

/** From the moment for which a message is composed until it was received, on a busy machine. */
const onTheWayMs = 6_000

type Claim = { check: string; status: string }

/**
 * What messages say that was not so when they arrived, and what they say twice. What is told in the past, such as an
 * outage that is over, has to be over.
 * @param changes oldest first
 */
export const falseMessages = (messages: readonly Told[], changes: readonly Change[]): string[] => [
  ...messages.flatMap((message) =>
    claimsOf(message)
      .filter(({ check, status }) => !wasSo(changes, check, status, message.atMs))
      .map(
        ({ check, status }) =>
          `${message.receiver} reads "${message.title}": ${check} was not ${status} then`,
      ),
  ),
  ...messages.flatMap(miscounted),
  ...twice(messages, changes),
  ...[...Map.groupBy(messages, ({ receiver, id }) => `${receiver} ${id}`).values()].flatMap((same) =>
    new Set(same.map(({ title, text }) => `${title}\n${text}`)).size > 1
      ? [`${same[0]?.receiver} got "${same[0]?.title}" with another text under the same id`]
      : [],
  ),
]

const line = /^(\d+) (?:(down|degraded|stale|unknown) now \(.*\)|(recovered|failed and recovered)): (.*)$/

/** What a message says about checks. */
const claimsOf = ({ title, text }: Told): Claim[] => {
  const [, name, status] = /^(.+?) is (down|degraded)\b/.exec(title) ?? []
  if (name !== undefined && status !== undefined && !/^\d+ checks?$/.test(name))
    return [{ check: name, status }]
  const [, recovered] = /^(.+?) (?:has recovered|failed and recovered) after/.exec(title) ?? []
  if (recovered !== undefined) return [{ check: recovered, status: 'operational' }]
  return text.split('\n').flatMap((each) => {
    const [, , now, , names = ''] = line.exec(each) ?? []
    return namesIn(names).map((check) => ({ check, status: now ?? 'operational' }))
  })
}

/** `web (since …), api (since …, acknowledged by …)`: each name is followed by its time. */
const namesIn = (names: string): string[] =>
  [...names.matchAll(/(?:^|, )([^,()]+) \([^)]*\)/g)].map(([, name = '']) => name)

const miscounted = ({ receiver, title, text }: Told): string[] =>
  text.split('\n').flatMap((each) => {
    const [, count, , , names = ''] = line.exec(each) ?? []
    return count === undefined || Number(count) === namesIn(names).length
      ? []
      : [`${receiver} reads "${title}", which counts wrongly: ${each}`]
  })

/** Whether the check had the status at some time while the message was on its way. */
const wasSo = (changes: readonly Change[], check: string, status: string, atMs: number): boolean => {
  const own = changes.filter((change) => change.check === check && change.atMs <= atMs)
  return own.some(({ to }, at) => to === status && (own[at + 1]?.atMs ?? Infinity) >= atMs - onTheWayMs)
}

/** The same status of one outage of one check told twice to one receiver. A pause ends an outage. */
const twice = (messages: readonly Told[], changes: readonly Change[]): string[] => {
  const seen = new Set<string>()
  const once = [
    ...new Map(messages.map((message) => [`${message.receiver} ${message.id}`, message])).values(),
  ]
  return once.flatMap((message) =>
    claimsOf(message).flatMap(({ check, status }) => {
      const began = changes.findLast(
        (change) =>
          change.check === check &&
          (change.to === 'operational' || change.to === 'paused') &&
          change.atMs <= message.atMs - onTheWayMs,
      )
      const key = [message.receiver, check, status, began?.atMs].join(' ')
      if (seen.has(key))
        return [`${message.receiver} reads twice that ${check} is ${status}: "${message.title}"`]
      seen.add(key)
      return []
    }),
  )
}
