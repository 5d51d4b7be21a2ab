import { repeat, turnOf, type Attack } from '../attack.ts'

const slowDocument = { kind: 'openapi', text: `openapi: 3.0.0\ninfo: {}\nx: ${'a\n'.repeat(450_000)}` }
const reads = ['/audit-log', '/checks?include=state', '/deliveries', '/mesh']

/** What an account may do, all at the same time and without a pause: slow imports, replays, trials, runs, reads. */
export const wholeProduct: Attack = {
  name: 'the whole product at once',
  run: async ({ stage, people, signal, begun }) => {
    const site = await stage.site('127.0.22.1', (_request, response) => response.end('up'))
    const ids = await Promise.all(
      people.map(async (person) => {
        const check = await person.requestOk<{ id: string }>('POST', '/checks', {
          name: 'own',
          url: `${site}/`,
        })
        return check.id
      }),
    )
    const works = [
      (line: number) => turnOf(people, line).request('POST', '/imports', slowDocument, signal),
      (line: number) =>
        turnOf(people, line).request(
          'POST',
          `/checks/${turnOf(ids, line)}/status-rule/replay`,
          { statusRule: { failures: 1 } },
          signal,
        ),
      (line: number) =>
        turnOf(people, line).request(
          'POST',
          '/trials',
          { type: 'http', name: 'trial', url: `${site}/${line}`, intervalSeconds: 300 },
          signal,
        ),
      (line: number) => turnOf(people, line).request('POST', `/checks/${turnOf(ids, line)}/run`, {}, signal),
      ...reads.map((path) => (line: number) => turnOf(people, line).request('GET', path, undefined, signal)),
      (line: number) => turnOf(people, line).request('GET', '/audit-log', undefined, signal),
    ]
    begun()
    await repeat(3 * works.length, signal, (line) => turnOf(works, Math.floor(line / 3))(line))
  },
}
