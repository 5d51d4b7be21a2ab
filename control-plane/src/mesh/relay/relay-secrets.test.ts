import { arrived, patience } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { silentLogger } from '@probe-mesh/bus/logger'
import { openRelayBus } from '@probe-mesh/bus/relay/relay-bus'
import { createSecretSealer, regionKeyOfToken } from '@probe-mesh/contracts/agent/agent-seal'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { beforeAll, expect, test, vi } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'

let url: string
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeAll(async () => {
  url = await at.app.listen({ port: 0, host: '127.0.0.1' })
})

test('a private agent gets the secrets of its checks, each new value, and all again with a new token', async () => {
  const user = await loggedIn(at)
  const post = async (path: string, body: object) => (await asUser(at, user, 'POST', path, body)).json
  const made = await post('/agents', { name: 'office' })
  const region = privateRegion(made.agent.id)
  const current: { token: string } = { token: made.token }
  const secret = await post('/secrets', {
    name: 'key',
    value: 'the first value',
    hosts: ['http://10.0.0.1'],
    agents: [made.agent.id],
  })
  const headers = [{ name: 'x-api-key', value: '{{ secret.key }}' }]
  const check = {
    type: 'http',
    name: 'orders',
    url: 'http://10.0.0.1/',
    regions: [region],
    request: { headers },
  }
  const { id } = await post('/typed-checks', check)

  const got: Assignment[] = []
  const bus = openRelayBus({
    url,
    token: () => current.token,
    region,
    version: '1.2.3',
    log: silentLogger,
    random: () => 0.1,
  })
  const opened = (assignment: Assignment | undefined): string | undefined => {
    if (assignment?.type !== 'http_request' || assignment.sealed === undefined) return undefined
    const { open } = createSecretSealer(regionKeyOfToken(current.token))
    return open(assignment.sealed, { checkId: id, region })['key']?.value
  }
  try {
    const onPut = (assignment: Assignment) => got.push(assignment)
    await bus.assignments.watch(region, { onPut, onRemove: () => {}, onCurrent: () => {} })
    await arrived(got, 1)
    expect(opened(got[0])).toBe('the first value')
    await asUser(at, user, 'PATCH', `/secrets/${secret.id}`, { value: 'the second value' })
    await arrived(got, 2)
    expect(got[1]).toMatchObject({ revision: 2 })
    expect(opened(got[1])).toBe('the second value')
    const rotated = await asUser(at, user, 'POST', `/agents/${made.agent.id}/rotate`)
    current.token = rotated.json.token
    await vi.waitFor(() => expect(got.length).toBeGreaterThan(2), patience)
    expect(got.at(-1)).toMatchObject({ revision: 3 })
    expect(opened(got.at(-1))).toBe('the second value')
  } finally {
    await bus.close()
  }
})
