import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { ChannelMessage } from '../notifications/message.ts'
import type { AlertMessage } from './alert-message.ts'

/** A message with the check that it is of. */
export type CheckMessage = AlertMessage & { checkId: string }

/** A check as it is when the digest is sent. Unix ms. */
export type CheckNow = { status: CheckStatus; sinceMs: number | null }

/** Checks that a digest names, and causes that it tells apart; of the rest it says how many. */
const namesMax = 20
const groupsMax = 10

/**
 * One message for many, which tells the state at its sending: each check once, as it is now, by what
 * became of it and by cause, in the order it began, the first of them by name and time (S-1907).
 * @param options.now the checks as they are; one that is gone is not there
 * @param options.isOver nothing that was told is open any more: receivers may close what they opened
 */
export const composeDigest = (
  messages: readonly CheckMessage[],
  options: {
    alertKey: string
    publicUrl: string
    isOver: boolean
    now: ReadonlyMap<string, CheckNow>
  },
): ChannelMessage => {
  const stories = [...Map.groupBy(messages, ({ checkId }) => checkId).values()]
    .map((told) => storyOf(told, options.now))
    .toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))
  const kinds = kindsInOrder.flatMap((kind) => {
    const of = stories.filter((story) => story.kind === kind)
    return of.length === 0 ? [] : [{ kind, stories: of }]
  })
  const said = kinds.map(({ kind, stories: of }) => titleOf[kind](of.length))
  const times = messages.map(({ content }) => content.at).toSorted()
  const [first = '', last = ''] = [times[0], times.at(-1)]
  return {
    event: options.isOver ? 'recovery' : 'digest',
    title: `${said.join(', ')}${options.isOver ? '; none is left' : ''}`,
    text: [
      `This message holds ${messages.length}, ${cameText(first, last)}. It says how each check is now.`,
      ...linesOf(kinds),
    ].join('\n'),
    facts: kinds.map(({ kind, stories: of }) => ({
      name: factNames[kind],
      value: String(of.length),
    })),
    url: `${options.publicUrl}/checks`,
    at: last,
    alertKey: options.alertKey,
  }
}

/** What became of a check, worst first. */
const kindsInOrder = ['down', 'unwell', 'cameBack', 'recovered', 'gone'] as const
type Kind = (typeof kindsInOrder)[number]

/** `from` and `until`: ISO 8601; null: it is not known, or goes on. */
type Story = {
  kind: Kind
  name: string
  status: CheckStatus
  cause: string
  regions: readonly string[]
  from: string
  until: string | null
}

const storyOf = (told: readonly CheckMessage[], now: ReadonlyMap<string, CheckNow>): Story => {
  const [first] = told
  if (first === undefined) throw new Error('a story is of messages')
  const bad = told.findLast(({ event }) => event !== 'recovery')
  const recovery = told.findLast(({ event }) => event === 'recovery')
  const check = now.get(first.checkId)
  const { checkName: name, cause, regions } = bad ?? first
  const began = told.find(({ event }) => event !== 'recovery') ?? first
  const story = { name, cause, regions, from: began.since ?? began.content.at }
  if (check === undefined) return { ...story, kind: 'gone', status: first.status, until: null }
  const { status } = check
  if (status === 'operational') {
    const until = recovery?.content.at ?? isoOf(check.sinceMs)
    return { ...story, status, until, kind: bad === undefined ? 'recovered' : 'cameBack' }
  }
  const kind = status === 'down' ? 'down' : 'unwell'
  const from = kind === 'down' ? (isoOf(check.sinceMs) ?? story.from) : story.from
  return { ...story, status, from, until: null, kind }
}

const isoOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

const checks = (count: number): string => (count === 1 ? '1 check' : `${count} checks`)

const titleOf: Readonly<Record<Kind, (count: number) => string>> = {
  down: (count) => `${checks(count)} ${count === 1 ? 'is' : 'are'} down now`,
  unwell: (count) => `${checks(count)} ${count === 1 ? 'is' : 'are'} not well now`,
  cameBack: (count) => `${checks(count)} went down and came back`,
  recovered: (count) => `${checks(count)} ${count === 1 ? 'has' : 'have'} recovered`,
  gone: (count) => `${checks(count)} ${count === 1 ? 'is' : 'are'} deleted`,
}

const factNames: Readonly<Record<Kind, string>> = {
  down: 'Down now',
  unwell: 'Not well now',
  cameBack: 'Went down and came back',
  recovered: 'Recovered',
  gone: 'Deleted',
}

/** The largest groups, each kind's in the order they began; of the others it says how many checks they are. */
const linesOf = (kinds: readonly { kind: Kind; stories: readonly Story[] }[]): string[] => {
  const groups = kinds.flatMap(({ stories }) => [...Map.groupBy(stories, groupOf).values()])
  const shown = new Set(groups.toSorted((a, b) => b.length - a.length).slice(0, groupsMax))
  let named = 0
  const lines = groups
    .filter((group) => shown.has(group))
    .map((group) => {
      const names = group.slice(0, namesMax - named).map(nameText)
      named += names.length
      const more = group.length - names.length
      return `${headOf(group)}: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`
    })
  const left = groups.filter((group) => !shown.has(group))
  return left.length === 0
    ? lines
    : [...lines, `${left.length} more causes: ${left.flat().length} checks`]
}

const groupOf = ({ kind, status, cause, regions }: Story): string =>
  JSON.stringify(kind === 'down' || kind === 'unwell' ? [kind, status, cause, regions] : [kind])

const headOf = (group: readonly Story[]): string => {
  const [first] = group
  if (first === undefined) return ''
  const where = first.regions.length === 0 ? '' : `, seen from ${first.regions.join(', ')}`
  switch (first.kind) {
    case 'down':
    case 'unwell':
      return `${group.length} ${first.status} now (${first.cause}${where})`
    case 'cameBack':
      return `${group.length} went down and came back`
    case 'recovered':
      return `${group.length} recovered`
    case 'gone':
      return `${group.length} deleted`
    default:
      return first.kind satisfies never
  }
}

const nameText = ({ name, kind, from, until }: Story): string => {
  if (kind === 'gone') return name
  if (kind === 'down' || kind === 'unwell') return `${name} since ${timeText(from)}`
  return `${name} ${timeText(from)} to ${until === null ? 'now' : timeText(until)}`
}

const cameText = (first: string, last: string): string =>
  timeText(first) === timeText(last)
    ? `which came at ${timeText(first)}`
    : `which came from ${timeText(first)} to ${timeText(last)}`

/** `2026-11-20T12:00:00.000Z` as `2026-11-20T12:00:00Z`. */
const timeText = (at: string): string => `${at.slice(0, 19)}Z`
