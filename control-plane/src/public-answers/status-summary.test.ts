import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { evidenceOf, basisOf, noBasis } from './evidence.ts'
import { serviceStatus } from './service-status.ts'
import { notCoveredSummary, statusSummary } from './status-summary.ts'
import { viewRegions, type RegionReadings } from './region-reading.ts'
import { optionsAt, regionsAs, readingOf, t0, viewsOf, type RegionCase } from './testing.ts'

const works: GradedProbe[] = [{ url: 'https://api.github.com/zen', grade: 'works' }]

const summaryOf = (...cases: RegionCase[]): string => {
  const views = viewsOf(...cases)
  return statusSummary('GitHub', null, views, evidenceOf(basisOf(views), optionsAt()), works)
}

describe('the summary', () => {
  test.each<[RegionCase[], string]>([
    [['up', 'up', 'up', 'up'], 'GitHub is up in 4 of 4 regions, measured 2026-11-20 11:59 UTC.'],
    [['up'], 'GitHub is up in iad, the only region read, measured 2026-11-20 11:59 UTC.'],
    [
      ['up', 'stale', 'blocked'],
      'GitHub is up in 1 of 2 regions; it refused our probes in fra; sjc not read, measured 2026-11-20 11:59 UTC.',
    ],
    [
      ['down', 'down'],
      'GitHub is down in 2 of 2 regions: down for the test (probed api.github.com), measured 2026-11-20 11:59 UTC.',
    ],
    [
      ['down', 'up', 'up', 'down'],
      'GitHub is down in 2 of 4 regions (iad and nrt): down for the test; it is up in fra and sjc, measured 2026-11-20 11:59 UTC.',
    ],
    [
      ['down', 'blocked'],
      'GitHub is down in 1 of 2 regions (iad): down for the test; it refused our probes in sjc, measured 2026-11-20 11:59 UTC.',
    ],
    [
      ['blocked', 'blocked'],
      'GitHub refused our probes in 2 of 2 regions, so we cannot say whether it is up or down, measured 2026-11-20 11:59 UTC.',
    ],
    [
      ['stale'],
      'We have no recent measurement of GitHub, so we cannot say whether it is up or down; the last measurement was at 2026-11-20 11:00 UTC.',
    ],
    [
      ['missing', 'quarantined'],
      'Readings of GitHub from sjc do not count because the network of that region fails, and there is no recent reading from iad, so we cannot say whether it is up or down.',
    ],
    [
      ['missing', 'missing'],
      'We have no recent measurement of GitHub, so we cannot say whether it is up or down.',
    ],
  ])('is a complete sentence for regions %j', (cases, summary) => {
    expect(summaryOf(...cases)).toBe(summary)
  })

  test.each<[RegionCase[], string]>([
    [['up', 'up', 'up'], 'GitHub is up'],
    [['down', 'down'], 'GitHub is down: down for the test (probed api.github.com)'],
    [
      ['down', 'up', 'up'],
      'GitHub failed in 1 of the 3 newest measurements: down for the test (probed api.github.com)',
    ],
    [['blocked', 'blocked'], 'GitHub refused our probes, so we cannot say whether it is up or down'],
  ])('from one machine starts by saying so and counts no regions, for %j', (cases, clause) => {
    const views = viewsOf(...cases)
    const evidence = evidenceOf(basisOf(views), { ...optionsAt(), vantage: 'local' })
    expect(statusSummary('GitHub', null, views, evidence, works)).toBe(
      `From this machine, ${clause}, measured 2026-11-20 11:59 UTC.`,
    )
  })

  test('mentions a single region without an answer', () => {
    const silent = readingOf('down', { unanswered: true, reason: 'it timed out' })
    const views = viewRegions(
      regionsAs(['up', 'down', 'up']).map((region) =>
        region.region === 'sjc' ? { ...region, readings: [silent] } : region,
      ),
      optionsAt(),
    )
    const evidence = evidenceOf(basisOf(views), optionsAt())
    expect(statusSummary('GitHub', null, views, evidence, works)).toBe(
      'GitHub is down in 1 of 3 regions (sjc): no answer from sjc only, it timed out; it is up in fra and iad, measured 2026-11-20 11:59 UTC.',
    )
  })

  test('does not report a wrong certificate in one region as a missing answer', () => {
    const wrong = readingOf('down', {
      unanswered: true,
      cause: 'certificate_expired',
      reason: 'the certificate has expired',
    })
    const views = viewRegions(
      regionsAs(['up', 'down', 'up']).map((region) =>
        region.region === 'sjc' ? { ...region, readings: [wrong] } : region,
      ),
      optionsAt(),
    )
    const evidence = evidenceOf(basisOf(views), optionsAt())
    expect(statusSummary('GitHub', null, views, evidence, works)).toMatch(
      /^GitHub is down in 1 of 3 regions \(sjc\): the certificate has expired; it is up in/,
    )
  })

  test('lists a region with a running network check separately from unread regions', () => {
    const views = viewRegions(
      regionsAs(['up', 'down', 'up', 'missing']).map((region) =>
        region.region === 'sjc' ? { ...region, checkingNetworkUntilMs: t0 + 1 } : region,
      ),
      optionsAt(),
    )
    const evidence = evidenceOf(basisOf(views), optionsAt())
    expect(statusSummary('GitHub', null, views, evidence, works)).toBe(
      'GitHub is up in 2 of 2 regions; no answer from sjc, which may be our own network; nrt not read, measured 2026-11-20 11:59 UTC.',
    )
  })

  test('contains up or down exactly if the status does, for any regions', () => {
    const any = fc.constantFrom<RegionCase>('up', 'down', 'blocked', 'missing', 'stale', 'quarantined')
    forAll([fc.array(any, { maxLength: 10 })], (cases) => {
      const status = serviceStatus(viewsOf(...cases))
      const summary = summaryOf(...cases)
      expect(summary.includes('GitHub is up in')).toBe(status === 'up')
      expect(summary.includes('GitHub is down in')).toBe(status.startsWith('down'))
      expect(summary.includes('cannot say')).toBe(status === 'blocked' || status === 'no_data')
    })
  })
})

describe('the summary claims no more than the probes show', () => {
  const probesOf = (...grades: ProbeGrade[]): GradedProbe[] =>
    grades.map((grade, index) => ({
      url: `https://${['api', 'www'][index]}.acme.example/${grade === 'edge' ? 'robots.txt' : 'v1'}`,
      grade,
    }))
  /** @param good by region, the probes that are up there; the others are refused */
  const sentenceOf = (probes: GradedProbe[], ...good: number[][]): string => {
    const regions = good.map((each, index) => ({
      region: ['fra', 'iad'][index] ?? 'zzz',
      readings: probes.map((_, probe) => readingOf(each.includes(probe) ? 'up' : 'blocked', { probe })),
      quarantined: false,
    }))
    const views = viewRegions(regions, optionsAt())
    return statusSummary('Acme', null, views, evidenceOf(basisOf(views), optionsAt()), probes)
  }

  test.each<[ProbeGrade[], number[][], string]>([
    [['works'], [[0], [0]], 'Acme is up in 2 of 2 regions, measured 2026-11-20 11:59 UTC.'],
    [
      ['answers'],
      [[0], [0]],
      'No sign of an outage: api.acme.example answers in 2 of 2 regions, measured 2026-11-20 11:59 UTC. That does not show that all of Acme works.',
    ],
    [
      ['edge'],
      [[0], [0]],
      'No sign of an outage: api.acme.example/robots.txt is served in 2 of 2 regions, measured 2026-11-20 11:59 UTC. That says little about whether Acme works.',
    ],
    [['edge', 'works'], [[0, 1], [1]], 'Acme is up in 2 of 2 regions, measured 2026-11-20 11:59 UTC.'],
    [
      ['answers', 'answers'],
      [[0, 1], [1]],
      'No sign of an outage: api.acme.example and www.acme.example answer in 2 of 2 regions, measured 2026-11-20 11:59 UTC. That does not show that all of Acme works.',
    ],
    [
      ['answers', 'works'],
      [[0, 1], [0]],
      'No sign of an outage: api.acme.example and www.acme.example answer in 2 of 2 regions, measured 2026-11-20 11:59 UTC. That does not show that all of Acme works.',
    ],
    [
      ['edge', 'answers'],
      [[0, 1], [1]],
      'No sign of an outage: www.acme.example answers in 2 of 2 regions, measured 2026-11-20 11:59 UTC. That does not show that all of Acme works.',
    ],
    [
      ['edge', 'answers'],
      [[0], [0, 1]],
      'No sign of an outage: api.acme.example/robots.txt and www.acme.example are served in 2 of 2 regions, measured 2026-11-20 11:59 UTC. That says little about whether Acme works.',
    ],
  ])('for probes of grades %j that are up in regions as %j', (grades, good, sentence) => {
    expect(sentenceOf(probesOf(...grades), ...good)).toBe(sentence)
  })

  test('and sees a sign where a region gets no answer', () => {
    const regions = ['fra', 'iad'].map((region) => ({
      region,
      readings: [readingOf(region === 'fra' ? 'up' : 'down')],
      quarantined: false,
      ...(region === 'iad' && { checkingNetworkUntilMs: t0 + 1 }),
    }))
    const views = viewRegions(regions, optionsAt())
    const evidence = evidenceOf(basisOf(views), optionsAt())
    expect(statusSummary('Acme', null, views, evidence, probesOf('answers'))).toBe(
      'api.acme.example answers in fra, the only region read; no answer from iad, which may be our own network, measured 2026-11-20 11:59 UTC. That does not show that all of Acme works.',
    )
  })

  test('for a service that fails in one region', () => {
    const [down, up] = [readingOf('down'), readingOf('up')]
    const views = viewRegions(
      [
        { region: 'fra', readings: [down], quarantined: false },
        { region: 'iad', readings: [up], quarantined: false },
      ],
      optionsAt(),
    )
    const evidence = evidenceOf(basisOf(views), optionsAt())
    expect(statusSummary('Acme', null, views, evidence, probesOf('answers'))).toMatch(
      /^Acme is down in 1 of 2 regions \(fra\): down for the test; it answers in iad,/,
    )
  })

  test('for a service whose page changed', () => {
    const old = readingOf('up', { measuredAt: t0 - 3_600_000 })
    const views = viewRegions(
      [{ region: 'fra', readings: [old], quarantined: false, changed: true }],
      optionsAt(),
    )
    const evidence = evidenceOf(basisOf(views), optionsAt())
    expect(statusSummary('Acme', null, views, evidence, probesOf('works'))).toBe(
      'The measured page of Acme changed, so we cannot say whether it is up or down; the last measurement was at 2026-11-20 11:00 UTC.',
    )
  })
})

describe('the summary gives the reason if the status is unknown:', () => {
  const of = (more: Partial<RegionReadings>, region: string | null = null, vantage = optionsAt().vantage) => {
    const regions = ['fra', 'iad'].map((code) => ({
      region: code,
      readings: [],
      quarantined: false,
      ...more,
    }))
    const options = { ...optionsAt(), vantage }
    const views = viewRegions(
      regions.filter((one) => region === null || one.region === region),
      options,
    )
    const evidence = evidenceOf(basisOf(views), options)
    return { evidence, summary: statusSummary('Acme', region, views, evidence, works) }
  }
  const failing = { why: 'unproven', reason: 'got 503', measuredAt: t0 - 4_000 } as const
  const unmeasured = { why: 'unmeasured', reason: 'no resolver', measuredAt: t0 - 4_000 } as const

  test('the service fails and has never worked from there', () => {
    const { summary, evidence } = of({ inconclusive: [failing] })
    expect(summary).toBe(
      'Acme fails in 2 of 2 regions (got 503), but it has never worked from there, so we cannot say whether it is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence).toMatchObject({
      regionsRead: ['fra', 'iad'],
      freshness: { verdict: 'fresh', ageSeconds: 4 },
    })
    expect(of({ inconclusive: [failing] }, 'fra').summary).toMatch(/^Acme fails from fra \(got 503\)/)
  })

  test('the service could not be measured', () => {
    const { summary, evidence } = of({ inconclusive: [unmeasured] })
    expect(summary).toBe(
      'Our probes could not measure Acme (no resolver), so we cannot say whether it is up or down.',
    )
    expect(evidence).toMatchObject({ regionsRead: [], measuredAt: null })
  })

  test('the requested region is quarantined', () => {
    const readings = [readingOf('down', { measuredAt: t0 - 4_000 })]
    expect(of({ readings, quarantined: true }, 'fra').summary).toBe(
      'Readings of Acme from fra do not count because the network of that region fails, so we cannot say whether it is up or down.',
    )
  })

  test('a network check is running for the requested region', () => {
    const readings = [readingOf('down', { measuredAt: t0 - 4_000, unanswered: true })]
    const { summary, evidence } = of({ readings, checkingNetworkUntilMs: t0 + 1 }, 'fra')
    expect(summary).toBe(
      'Acme does not answer from fra (down for the test), and we are checking whether our own network is at fault, so we cannot say whether it is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence).toMatchObject({ regionsRead: ['fra'], freshness: { ageSeconds: 4 } })
  })

  test('one failure after a gap is being retried', () => {
    const unconfirmed = { why: 'unconfirmed', reason: 'got 503', measuredAt: t0 - 4_000 } as const
    const readings = [readingOf('up', { measuredAt: t0 - 3_600_000 })]
    const { summary, evidence } = of({ readings, inconclusive: [unconfirmed] })
    expect(summary).toBe(
      'Acme failed from fra and iad (got 503) and is being retried, so we cannot say whether it is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence.freshness).toMatchObject({ verdict: 'fresh', ageSeconds: 4 })
  })

  test('this machine cannot reach many other services either', () => {
    const readings = [readingOf('down', { measuredAt: t0 - 4_000 })]
    const { summary, evidence } = of({ readings, ownNetworkSuspected: true }, null, 'local')
    expect(summary).toBe(
      'From this machine, Acme does not answer (down for the test), like many unrelated services: the network of this machine may be at fault, so we cannot say whether Acme is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence.freshness).toMatchObject({ verdict: 'fresh', ageSeconds: 4 })
  })

  test('a stale inconclusive reading is ignored', () => {
    expect(of({ inconclusive: [{ ...failing, measuredAt: t0 - 3_600_000 }] }).summary).toMatch(
      /^We have no recent measurement of Acme/,
    )
  })
})

describe('for a service outside the catalog', () => {
  test.each([
    [
      'foo',
      [],
      '"foo" is not in our catalog, so we do not measure it and cannot say whether it is up or down.',
    ],
    [
      'gihub',
      ['github', 'gitlab'],
      '"gihub" is not in our catalog, so we do not measure it and cannot say whether it is up or down; did you mean github or gitlab?',
    ],
    [
      ' \n\t',
      [],
      'That service is not in our catalog, so we do not measure it and cannot say whether it is up or down.',
    ],
  ])('the summary of %j says that we do not measure it', (query, didYouMean, summary) => {
    expect(notCoveredSummary(query, didYouMean)).toBe(summary)
  })

  test('the summary of any query is one bounded line with at most one quotation', () => {
    forAll([fc.string({ unit: 'binary', maxLength: 500 })], (query) => {
      const summary = notCoveredSummary(query, [])
      expect(summary).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      expect(summary.match(/"/g) ?? []).toHaveLength(summary.startsWith('"') ? 2 : 0)
      expect(summary.length).toBeLessThan(250)
    })
  })

  test('there is no evidence', () => {
    expect(evidenceOf(noBasis, optionsAt())).toMatchObject({
      regionsRead: [],
      measuredAt: null,
      freshness: { verdict: 'no_data', ageSeconds: null, staleAfterSeconds: 180 },
    })
  })
})

describe('the evidence of an answer', () => {
  test.each<[RegionCase[], string[], string, number | null]>([
    [['up', 'stale', 'blocked'], ['fra', 'iad'], 'fresh', 10],
    [['stale', 'missing'], [], 'stale', 3_600],
    [['missing'], [], 'no_data', null],
    [['quarantined'], [], 'no_data', null],
  ])('about regions %j lists %j as read and is %s', (cases, regionsRead, verdict, ageSeconds) => {
    expect(evidenceOf(basisOf(viewsOf(...cases)), optionsAt())).toMatchObject({
      regionsRead,
      freshness: { verdict, ageSeconds },
    })
  })
})
