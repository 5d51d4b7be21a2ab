import { finding, type Facts, type Finding, type Flip, type Post } from './facts.ts'
import { spanText } from './flips.ts'

/** From `down` until the check is operational, with one message at the start and one at the end. */
type Episode = { key: string; begin: Flip; end: Flip | null }

const episodesOf = (flips: readonly Flip[], checkIds: ReadonlyMap<string, string>) =>
  [...Map.groupBy(flips, ({ check }) => check)].flatMap(([check, own]) => {
    const episodes: Episode[] = []
    for (const flip of own.toSorted((a, b) => a.version - b.version)) {
      const open = episodes.at(-1)
      const isOpen = open !== undefined && open.end === null
      if (flip.to === 'down' && !isOpen)
        episodes.push({ key: `alert:${checkIds.get(check)}:${flip.id}`, begin: flip, end: null })
      if (flip.to === 'operational' && isOpen) open.end = flip
    }
    return episodes
  })

/** An event that a hook must receive, and its check. */
const noticesOf = (episodes: readonly Episode[]): string[] =>
  episodes.flatMap(({ key, end }) => [`alert ${key}`, ...(end === null ? [] : [`recovery ${key}`])])

const entriesOf = ({ text }: Post): number =>
  Number(/This message combines (\d+) notifications/.exec(text)?.[1] ?? 0)

/**
 * Compares flips with the received messages. A hook with few checks gets single messages, so that each can be
 * matched. If some came as a digest, the number of missing ones must equal its entries.
 */
export const judgeMessages = (facts: Facts): Finding[] => {
  const { posts, flips, checkIds, hooks } = facts
  const sent = posts.filter(({ type }) => ['alert', 'recovery', 'digest'].includes(type))
  const byId = [...Map.groupBy(sent, ({ id }) => id).values()]
  const firsts = byId.flatMap((same) => same.slice(0, 1))
  const episodes = episodesOf(flips, checkIds)
  const twice: string[] = []
  const invented: string[] = []
  const missing: string[] = []
  const counts = { alert: 0, recovery: 0, inDigests: 0, digests: 0 }
  for (const [hook, checks] of hooks) {
    const watched = episodes.filter(({ begin }) => checks === null || checks.has(begin.check))
    const expected = new Set(noticesOf(watched))
    const own = firsts.filter((post) => post.hook === hook)
    const singles = own.filter(({ alertKey }) => alertKey.startsWith('alert:'))
    // an outage that ended before its alert was sent is one message
    const keys = singles.flatMap(({ type, alertKey, text }) => [
      ...(type === 'recovery' && text.startsWith('It failed: ') ? [`alert ${alertKey}`] : []),
      `${type} ${alertKey}`,
    ])
    const single = new Set(keys)
    const digests = own.filter(({ alertKey }) => !alertKey.startsWith('alert:'))
    const inDigests = digests.reduce((sum, post) => sum + entriesOf(post), 0)
    for (const [key, same] of Map.groupBy(keys, (key) => key))
      if (same.length > 1) twice.push(`${hook}: ${key}`)
    invented.push(...[...single.difference(expected)].map((key) => `${hook}: ${key}`))
    const left = [...expected.difference(single)]
    if (left.length !== inDigests)
      missing.push(`${hook}: ${left.length} not sent singly, digests hold ${inDigests}; ${left[0]}`)
    counts.alert += singles.filter(({ type }) => type === 'alert').length
    counts.recovery += singles.filter(({ type }) => type === 'recovery').length
    counts.inDigests += inDigests
    counts.digests += digests.length
  }
  const due = [...hooks.values()].flatMap((checks) =>
    noticesOf(episodes.filter(({ begin }) => checks === null || checks.has(begin.check))),
  )
  const count = (event: string) => due.filter((key) => key.startsWith(event)).length
  const begun = new Map(episodes.map(({ key, begin }) => [key, begin]))
  const delays = firsts.flatMap(({ type, alertKey, at }) => {
    const flip = type === 'alert' ? begun.get(alertKey) : undefined
    return flip === undefined ? [] : [at - flip.at]
  })
  const never = byId.filter((same) => same.every(({ answered }) => answered !== 'ok'))
  const again = byId.filter((same) => same.filter(({ answered }) => answered === 'ok').length > 1)
  return [
    finding(
      `down episodes / recoveries of them`,
      `${episodes.length} / ${episodes.filter(({ end }) => end !== null).length}`,
      '',
    ),
    finding(
      `sent to ${hooks.size} hooks: due / sent singly + in ${counts.digests} digests`,
      `${count('alert')} down, ${count('recovery')} recoveries`,
      `${counts.alert} down, ${counts.recovery} recoveries + ${counts.inDigests}`,
      missing,
    ),
    finding('sent twice, under two webhook-ids', 0, twice.length, twice),
    finding('sent without an event', 0, invented.length, invented),
    finding(
      'messages never acknowledged',
      0,
      never.length,
      never.flatMap((same) => same.slice(0, 1).map(({ hook, id }) => `${hook}: ${id}`)),
    ),
    finding(
      'messages retried under their webhook-id: after a refusal / after a 200',
      '',
      `${byId.filter((same) => same.some(({ answered }) => answered !== 'ok')).length} / ${again.length}`,
    ),
    finding('from a down flip to its message (median, latest)', delays.length, spanText(delays)),
  ]
}
