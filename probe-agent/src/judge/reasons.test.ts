import { noAssertions, type Assertions } from '@probe-mesh/contracts/check/assertions'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { documentedReasons, reasonsText } from '@probe-mesh/infra/testing/documented-reasons'
import { describe, expect, test } from 'vitest'
import { leniencies } from '../http1/notes.ts'
import { journeyDeadline } from '../probes/journey/probe-journey.ts'
import { nameFailures } from '../dns-evidence/decide-name.ts'
import * as failureModule from '../request/failure.ts'
import type { Phase } from '../request/failure.ts'
import { followedWithout, loginDropped, onlyHttp2, otherAddress, stillArriving } from '../request/notes.ts'
import type { Failure } from '../request/outcome.ts'
import { notMeasured } from '../probes/not-measured.ts'
import { evaluateAssertions } from './evaluate-assertions.ts'
import type { HeaderAssertion } from './evaluate-header.ts'
import { assertionCauses } from './evaluation.ts'
import { falsePageMarks } from './false-page.ts'
import { judgeOptions } from './judge-options.ts'
import { ownRefusal, pageChanged, up } from './judgement.ts'
import { fillProblems } from '../secrets/fill-request.ts'
import { clientNotValid } from '../secrets/client-validity.ts'
import { maskNothing } from '../secrets/mask.ts'
import { secretUnavailable, unavailable } from '../secrets/prepare.ts'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { refusalMarks } from './refusal-marks.ts'

/** docs/reasons.md lists exactly the existing causes and reasons. */

const rows = documentedReasons
const text = reasonsText

/** Whether a documented reason matches: `{braces}` match any text. */
const says = (documented: string, reason: string): boolean => {
  const parts = documented.split(/\{[a-z]+\}/)
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${pattern.join('.+')}$`).test(reason)
}
const documented = (section: string, verdict: string, cause: string, reason: string): boolean =>
  rows.some(
    (row) =>
      row.section === section && row.verdict === verdict && row.cause === cause && says(row.reason, reason),
  )
const verdictOf = ({ fault }: Pick<Failure, 'fault'>): string =>
  fault === 'probe' ? 'unmeasured, probe' : 'down, target'

const { deadlineFailure, failures, deadlineTexts: waitedFor } = failureModule
const phases = Object.keys(waitedFor) as Phase[]

describe('docs/reasons.md', () => {
  test.each([...failures, ...nameFailures, ...phases.map((phase) => deadlineFailure(phase, 10_000))])(
    'says what becomes of a request: $cause, $reason',
    (failure) => {
      const verdict = verdictOf(failure)
      expect(documented('http', verdict, failure.cause, failure.reason)).toBe(true)
    },
  )

  test.each([...refusalMarks])('lists the mark of a refusal: $reason', ({ cause, reason }) => {
    expect(documented('http', 'blocked, target', cause, reason)).toBe(true)
  })

  test.each([...falsePageMarks])('lists the mark of a false page: $reason', (page) => {
    expect(documented('http', 'down, target', page.cause, page.reason)).toBe(true)
  })

  test('lists the changed page of a catalog service', () => {
    const { cause, reason } = pageChanged('body is not JSON')
    expect(documented('http', 'unmeasured, probe', cause, reason ?? '')).toBe(true)
  })

  describe('lists the reasons of failed assertions:', () => {
    const body = { assertionBodyOp: 'contains', assertionBodyValue: 'x' } as const
    const json = {
      assertionJsonPath: 'a',
      assertionJsonOp: 'equals',
      assertionJsonValue: '1',
    } as const
    const header: HeaderAssertion = { name: 'set-cookie', op: 'contains', value: 'x' }
    type Case = [
      Partial<Assertions>,
      text: string,
      more?: { header?: HeaderAssertion; truncated?: boolean; undecoded?: string; bytes?: Buffer },
    ]
    const latin1 = { bytes: Buffer.from('ä', 'latin1') }
    const lacks = { ...body, assertionBodyOp: 'not_contains' } as const
    const foreign = { assertionBodyValue: 'ä' }
    const cases: Case[] = [
      [{ assertionStatusMin: 500 }, ''],
      [body, ''],
      [body, 'a'],
      [body, '', { truncated: true }],
      [lacks, '', { truncated: true }],
      [{ ...body, ...foreign }, '', latin1],
      [{ ...lacks, ...foreign }, '', latin1],
      [lacks, 'x'],
      [body, 'a', { undecoded: 'zstd' }],
      [{}, '', { header }],
      [{}, '', { header: { ...header, name: 'x-a' } }],
      [{}, '', { header: { ...header, name: 'x-b' } }],
      [json, ''],
      [json, 'a'],
      [json, '', { truncated: true }],
      [json, '{}'],
      [json, '{"a":2}'],
      [json, '{"a":[]}'],
    ]
    const seen = cases.map(([assertions, text, { header, truncated, undecoded, bytes } = {}]) => {
      const answer = {
        status: 200,
        headers: { 'set-cookie': ['a=b'], 'x-a': 'b' },
        body: {
          bytes: bytes ?? Buffer.from(text),
          truncated: truncated ?? false,
          undecoded: undecoded ?? null,
        },
      }
      const found = evaluateAssertions({ ...noAssertions, ...assertions }, answer, header)
      return found.passed ? { cause: 'ok', reason: '', isJudged: true } : found
    })
    test.each(seen)('$reason', ({ cause, reason, isJudged }) => {
      const section = cause.startsWith('header_') ? 'multistep' : 'http'
      const verdict = isJudged ? 'down, target' : 'unmeasured, probe'
      expect(documented(section, verdict, cause, reason)).toBe(true)
    })
    test('every cause', () => {
      expect(new Set(seen.map(({ cause }) => cause))).toEqual(new Set(assertionCauses))
    })
  })

  test.each(phases)('lists the end of a journey in %s', (phase) => {
    const failure = journeyDeadline(phase, limits.journeyMsMax)
    const verdict = verdictOf(failure)
    expect(documented('multistep', verdict, failure.cause, failure.reason)).toBe(true)
  })

  test.each(Object.values(notMeasured))('lists the fault of the probe: $cause', (judgement) => {
    const { cause, reason } = judgement
    expect(documented('The probe itself', 'unmeasured, probe', cause, reason ?? '')).toBe(true)
  })

  test.each([403, 429])('lists a refusal with %d of an own check', (status) => {
    for (const refusedAs of ['down', 'blocked'] as const) {
      const { verdict, cause, reason } = ownRefusal(status, refusedAs) ?? {}
      expect(documented('http', `${verdict}, target`, cause ?? '', reason ?? '')).toBe(true)
    }
  })

  const problems = [
    ...Object.values(unavailable),
    ...Object.values(fillProblems).map((each) =>
      typeof each === 'string' ? each : each('api_key', 'example.com'),
    ),
  ]
  test.each(problems)('lists why a secret is not sent: %s', (reason) => {
    expect(documented('http', 'unmeasured, probe', secretUnavailable, reason)).toBe(true)
  })

  const expectations = (['redirect', 'missing', 'slow', 'expiring', 'plain'] as const).map((kind) => {
    const answer = {
      ok: true as const,
      status: 301,
      headers: {},
      body: null,
      hops: 0,
      address: null,
      notes: [],
      timings: noTimings,
      latencyMs: kind === 'slow' ? 2_000 : 1,
      certificateExpiresAt: kind === 'plain' ? null : 0,
    }
    const wanted = {
      redirect: { redirectsTo: '/a' },
      missing: { redirectsTo: '/a' },
      slow: { latencyMsMax: 1_000 },
      expiring: { certificateDaysMin: 1 },
      plain: { certificateDaysMin: 1 },
    }[kind]
    const found = kind === 'redirect' ? { ...answer, headers: { location: '/b' } } : answer
    const asked = { url: 'https://example.com', now: 0, mask: maskNothing, assertions: noAssertions }
    return judgeOptions(up, found, wanted, asked)
  })
  test.each(expectations)('lists what a request expects besides its assertions: $cause', (judgement) => {
    expect(documented('http', 'down, target', judgement.cause, judgement.reason ?? '')).toBe(true)
  })

  test('lists a client certificate that is not valid', () => {
    const { cause, reason } = clientNotValid('expired on 2026-11-01')
    expect(documented('http', 'unmeasured, probe', cause, reason)).toBe(true)
  })

  test('lists no unknown cause of http and multistep', () => {
    const known = new Set<string>([
      'ok',
      'refused',
      ...failures.map(({ cause }) => cause),
      ...nameFailures.map(({ cause }) => cause),
      ...phases.flatMap((phase) => [deadlineFailure(phase, 1).cause, journeyDeadline(phase, 1).cause]),
      ...refusalMarks.map(({ cause }) => cause),
      ...falsePageMarks.map(({ cause }) => cause),
      pageChanged('').cause,
      ...assertionCauses,
      ...expectations.map(({ cause }) => cause),
      secretUnavailable,
      clientNotValid('').cause,
    ])
    const claimed = rows.filter(({ section }) => section === 'http' || section === 'multistep')
    expect(claimed.filter(({ cause }) => !known.has(cause))).toEqual([])
    expect(new Set(claimed.map(({ cause }) => cause))).toEqual(known)
  })

  test('lists every failure of the code', () => {
    const named = Object.values(failureModule).filter(
      (each) => typeof each === 'object' && 'cause' in each && 'fault' in each,
    )
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((each) => !failures.includes(each))).toEqual([])
  })

  test('lists every note', () => {
    const made = [
      ...Object.values(leniencies),
      loginDropped,
      followedWithout(['authorization']),
      onlyHttp2,
      stillArriving(10_000),
      otherAddress({ isIpv6: false, reason: 'x' }, { isIpv6: true }),
      otherAddress({ isIpv6: false, reason: null }, { isIpv6: false }),
    ]
    const [, section = ''] = text.split('### Notes on what is up')
    const documentedNotes = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) \|/gm)].flatMap(
      ([, note = '']) => (note === 'note' || note.startsWith('---') ? [] : [note]),
    )
    const missing = made.filter((note) => !documentedNotes.some((one) => says(one, note)))
    expect(missing).toEqual([])
    expect(documentedNotes.filter((one) => !made.some((note) => says(one, note)))).toEqual([])
  })

  test('explains each of them', () => {
    expect(rows.filter(({ meaning }) => meaning === '')).toEqual([])
  })
})
