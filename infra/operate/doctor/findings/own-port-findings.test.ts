import { expect, test } from 'vitest'
import { noAnswerFinding, ownPortFindings, type OwnPortFacts } from './own-port-findings.ts'

const outside = 'https://status.example.org'
const own = (who: OwnPortFacts['who']): OwnPortFacts => ({
  url: 'http://127.0.0.1:8080',
  who,
  metrics: null,
})

test('only another program occupies a port', () => {
  expect(ownPortFindings(own('a ready control plane'))).toEqual([])
  expect(ownPortFindings(own('a control plane'))).toEqual([])
  expect(ownPortFindings(own('nothing'))).toEqual([])
  const [found] = ownPortFindings(own('another program'))
  expect(found).toMatchObject({ level: 'broken', topic: 'port' })
  expect(found?.next).toContain(`"ss -ltnp 'sport = :8080'"`)
})

test('distinguishes a proxy that does not forward from an address without a server', () => {
  const of = (why: string, who: OwnPortFacts['who']) => noAnswerFinding({ ok: false, why }, outside, own(who))
  const proxy = of('status 503, which is not our answer', 'a ready control plane')
  expect(proxy.topic).toBe('proxy')
  expect(proxy.next).toContain('option httpchk GET /readyz')
  const nowhere = of('getaddrinfo ENOTFOUND', 'a ready control plane')
  expect(nowhere.topic).toBe('web')
  expect(nowhere.next).toContain('PUBLIC_URL=http://127.0.0.1:8080')
})

test('without a ready control plane here the proxy is not blamed', () => {
  for (const who of ['a control plane', 'another program', 'nothing'] as const) {
    const found = noAnswerFinding(
      { ok: false, why: 'status 503, which is not our answer' },
      outside,
      own(who),
    )
    expect([who, found.topic, found.next]).toEqual([who, 'web', expect.stringContaining('npm start')])
  }
})
