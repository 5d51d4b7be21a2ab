import { send } from '../send.ts'
import { repeat, turnOf, type Attack } from '../attack.ts'

/** Reads of the dashboard's most expensive answers, without pause. */
export const floodOfReads: Attack = {
  name: 'reads without pause',
  run: async ({ people, signal, begun }) => {
    const paths = ['/checks?include=state', '/audit-log', '/deliveries', '/errors/projects', '/mesh']
    begun()
    await repeat(60, signal, (line) =>
      turnOf(people, line).request('GET', turnOf(paths, line), undefined, signal),
    )
  },
}

export const floodOfMetrics: Attack = {
  name: 'reads of /metrics',
  run: async ({ stage, people, signal, begun }) => {
    begun()
    await repeat(10, signal, (line) =>
      send(`${stage.origin}/metrics`, { from: turnOf(people, line).from, signal }),
    )
  },
}

export const floodOfWrongTokens: Attack = {
  name: 'reads of /metrics with a wrong token',
  run: async ({ stage, people, signal, begun }) => {
    begun()
    await repeat(10, signal, (line) =>
      send(`${stage.origin}/metrics`, {
        headers: { authorization: `Bearer ${crypto.randomUUID()}` },
        from: turnOf(people, line).from,
        signal,
      }),
    )
  },
}

/** Wrong passwords for the owner, from every network that the attackers have. */
export const wrongPasswords: Attack = {
  name: 'wrong passwords for another account',
  run: async ({ stage, people, signal, begun }) => {
    const { origin, owner } = stage
    const attempt = (line: number) =>
      send(`${origin}/dashboard-api/session`, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin', origin, 'content-type': 'application/json' },
        body: JSON.stringify({ email: owner.email, password: `wrong password ${line}` }),
        from: turnOf(people, line).from,
        signal,
      })
    for (let number = 0; number < 20; number++) await attempt(number)
    begun()
    await repeat(4, signal, attempt)
  },
}
