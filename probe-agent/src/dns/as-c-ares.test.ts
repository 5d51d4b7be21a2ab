import { promises as dns } from 'node:dns'
import { codeOf } from '@probe-mesh/runtime/errors'
import {
  answering,
  startDnsServer,
  truncated,
  type DnsQuery,
} from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import packet, { type Answer, type Packet } from 'dns-packet'
import { expect, onTestFinished, test } from 'vitest'
import { createOwnResolver } from './resolver.ts'

/** A generator of numbers with a fixed seed (mulberry32). */
const randomOf = (seed: number) => (below: number) => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
}

type Random = ReturnType<typeof randomOf>

const addressOf = (type: string, name: string, random: Random): Answer =>
  type === 'A'
    ? { name, type: 'A', ttl: random(400), data: `192.0.2.${random(256)}` }
    : { name, type: 'AAAA', ttl: random(400), data: `2001:db8::${(random(65_535) + 1).toString(16)}` }

const soa = (name: string): Answer => ({
  name,
  type: 'SOA',
  ttl: 60,
  data: { mname: 'ns.test', rname: 'h.test', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
})

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list
    .map((each) => [random(1_000), each] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, each]) => each)

/** Addresses at the end of a chain of aliases, in any order. */
const chain = (query: DnsQuery, random: Random, aliases: number, addresses: number): Answer[] => {
  const { name, type } = query.question
  const nameAt = (at: number): string => (at === 0 ? name : `alias${at}.test`)
  const links = Array.from({ length: aliases }, (_, at): Answer => ({
    name: nameAt(at),
    type: 'CNAME',
    ttl: 9,
    data: nameAt(at + 1),
  }))
  const ends = Array.from({ length: addresses }, () => addressOf(type, nameAt(aliases), random))
  return [...shuffled(links, random), ...ends]
}

type Case = (query: DnsQuery, random: Random) => void

const withAuthority = (answer: Packet, authorities: Answer[]): Packet => ({ ...answer, authorities })
const isOf = (query: DnsQuery, of: string): Packet => ({
  ...answering(query, []),
  questions: [{ ...query.question, name: of }],
})
const bytesOf = (message: Packet): Buffer => packet.encode(message)

const cases = {
  addresses: (query, random) => query.send(answering(query, chain(query, random, 0, 1 + random(8)))),
  'aliases and addresses': (query, random) =>
    query.send(answering(query, chain(query, random, 1 + random(12), 1 + random(3)))),
  'an alias to nothing': (query, random) => query.send(answering(query, chain(query, random, 2, 0))),
  'no data': (query) => query.send(withAuthority(answering(query, []), [soa('test')])),
  'no data without a zone': (query) => query.send(answering(query, [])),
  'no such name': (query) => query.send(withAuthority(answering(query, [], 3), [soa('test')])),
  'no such alias': (query, random) => query.send(answering(query, chain(query, random, 1, 0), 3)),
  'server failure': (query) => query.send(answering(query, [], 2)),
  refused: (query) => query.send(answering(query, [], 5)),
  'format error': (query) => query.send(answering(query, [], 1)),
  'not implemented': (query) => query.send(answering(query, [], 4)),
  'truncated, whole over TCP': (query, random) =>
    query.send(query.via === 'udp' ? truncated(query) : answering(query, chain(query, random, 0, 60))),
  'another question first': (query, random) => {
    query.send({
      ...isOf(query, 'other.test'),
      answers: [{ name: 'other.test', type: 'A', data: '192.0.2.1' }],
    })
    query.send(answering(query, chain(query, random, 0, 1)))
  },
  'another id first': (query, random) => {
    query.send({ ...answering(query, []), id: (query.id + 1) & 0xffff })
    query.send(answering(query, chain(query, random, 0, 1)))
  },
  'its question in capitals': (query, random) => {
    const bytes = bytesOf(answering(query, chain(query, random, 0, 2)))
    bytes.write(query.question.name.split('.')[0]?.toUpperCase() ?? '', 13)
    query.send(bytes)
  },
  'an answer of another class': (query, random) => {
    const [one] = chain(query, random, 0, 1)
    query.send(answering(query, [{ ...one, class: 'CH' } as Answer, ...chain(query, random, 0, 1)]))
  },
  'records of other types too': (query, random) =>
    query.send(
      answering(query, [
        { name: query.question.name, type: 'TXT', ttl: 3, data: 'text' },
        ...chain(query, random, 0, 2),
      ]),
    ),
} satisfies Record<string, Case>

const names = Object.keys(cases) as (keyof typeof cases)[]
const perCase = 12
const atOnce = 60

const said = (asked: Promise<string[]>): Promise<string> =>
  asked.then(
    (addresses) => addresses.join(' ') || 'ENODATA',
    (error: unknown) => codeOf(error),
  )

/** Both resolvers with a server that answers each name by its number. */
const bothWith = async (reply: (query: DnsQuery, number: number) => void) => {
  const server = await startDnsServer((query) => {
    reply(query, Number(/^n(\d+)/i.exec(query.question.name)?.[1]))
  })
  onTestFinished(server.close)
  const own = createOwnResolver({ read: () => ({ servers: [server.resolver] }) })
  onTestFinished(own.close)
  // a connection each, since the server answers one question of a connection
  const theirs = (): dns.Resolver => {
    const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
    resolver.setServers([server.resolver])
    return resolver
  }
  type By = Pick<typeof own, 'resolve4' | 'resolve6'>
  const of = async (by: () => By, number: number): Promise<string> => {
    const name = `n${number}.test`
    return (await Promise.all([said(by().resolve4(name)), said(by().resolve6(name))])).join()
  }
  return {
    ours: (number: number) => of(() => own, number),
    theirs: (number: number) => of(theirs, number),
  }
}

test('says of each name, address and fault what c-ares says', async () => {
  const both = await bothWith((query, seed) => {
    const random = randomOf(seed * 2 + (query.question.type === 'A' ? 0 : 1))
    cases[names[seed % names.length] ?? 'addresses'](query, random)
  })
  const different: unknown[] = []
  const compare = async (seed: number): Promise<void> => {
    const [ours, theirs] = await Promise.all([both.ours(seed), both.theirs(seed)])
    if (ours !== theirs) different.push([names[seed % names.length], ours, theirs])
  }
  const seeds = Array.from({ length: names.length * perCase }, (_, seed) => seed)
  for (let from = 0; from < seeds.length; from += atOnce) {
    await Promise.all(seeds.slice(from, from + atOnce).map(compare))
  }
  expect(different).toEqual([])
})

/** Where it says another thing: what is no answer never accuses the name. */
test.each<[string, Case, ours: string, theirs: string]>([
  [
    'a query in place of an answer',
    (query, random) => {
      query.send({ type: 'query', id: query.id, questions: [query.question] })
      query.send(answering(query, chain(query, random, 0, 1)))
    },
    '192.0.2.0,2001:db8::b4',
    'ENODATA,ENODATA',
  ],
  [
    'addresses of another name',
    (query) => query.send(answering(query, [addressOf(query.question.type, 'other.test', () => 7)])),
    'EBADRESP,EBADRESP',
    '192.0.2.7,2001:db8::8',
  ],
  [
    'a chain of 40 aliases',
    (query, random) => query.send(answering(query, chain(query, random, 40, 1))),
    'EBADRESP,EBADRESP',
    '192.0.2.0,2001:db8::b4',
  ],
  [
    'a code that no resolver has',
    (query) => query.send(answering(query, [], 9)),
    'EBADRESP,EBADRESP',
    'ENODATA,ENODATA',
  ],
  [
    'an error without the question',
    (query) => query.send({ ...answering(query, [], 2), questions: [] }),
    'ESERVFAIL,ESERVFAIL',
    'EBADRESP,EBADRESP',
  ],
])('tells the truth about %s', async (_, reply, ours, theirs) => {
  const both = await bothWith((query) => reply(query, randomOf(1)))
  const found = [await both.ours(1), await both.theirs(1)]
  expect(found).toEqual([ours, theirs])
})
