import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evidenceOf, groundOf, noGround } from './evidence.ts'
import { serviceStatus } from './service-status.ts'
import { notCoveredSummary, statusSummary } from './status-summary.ts'
import { viewRegions } from './region-reading.ts'
import type { HeldRegion } from './region-reading.ts'
import { at, heldAs, readingOf, t0, viewsOf } from './testing.ts'
import type { Seen } from './testing.ts'

const works: GradedProbe[] = [{ url: 'https://api.github.com/zen', grade: 'works' }]

const summaryOf = (...seen: Seen[]): string => {
  const views = viewsOf(...seen)
  return statusSummary('GitHub', null, views, evidenceOf(groundOf(views), at()), works)
}

describe('the summary can be repeated as it stands', () => {
  test.each<[Seen[], string]>([
    [['up', 'up', 'up', 'up'], 'GitHub is up in 4 of 4 regions, measured 2026-11-20 11:59 UTC.'],
    [['up'], 'GitHub is up in iad, the only region read, measured 2026-11-20 11:59 UTC.'],
    [
      ['up', 'old', 'blocked'],
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
      ['old'],
      'We have no recent measurement of GitHub, so we cannot say whether it is up or down; the last measurement was at 2026-11-20 11:00 UTC.',
    ],
    [
      ['silent', 'lying'],
      'Readings of GitHub from sjc do not count because the network of that region fails, and there is no recent reading from iad, so we cannot say whether it is up or down.',
    ],
    [
      ['silent', 'silent'],
      'We have no recent measurement of GitHub, so we cannot say whether it is up or down.',
    ],
  ])('%j', (seen, summary) => {
    expect(summaryOf(...seen)).toBe(summary)
  })

  test.each<[Seen[], string]>([
    [['up', 'up', 'up'], 'GitHub is up'],
    [['down', 'down'], 'GitHub is down: down for the test (probed api.github.com)'],
    [
      ['down', 'up', 'up'],
      'GitHub failed in 1 of the 3 newest measurements: down for the test (probed api.github.com)',
    ],
    [['blocked', 'blocked'], 'GitHub refused our probes, so we cannot say whether it is up or down'],
  ])('from one machine %j says so first, and its regions are one vote', (seen, clause) => {
    const views = viewsOf(...seen)
    const evidence = evidenceOf(groundOf(views), { ...at(), vantage: 'local' })
    expect(statusSummary('GitHub', null, views, evidence, works)).toBe(
      `From this machine, ${clause}, measured 2026-11-20 11:59 UTC.`,
    )
  })

  test('one region without an answer is said to be that', () => {
    const silent = readingOf('down', { unanswered: true, reason: 'it timed out' })
    const views = viewRegions(
      heldAs(['up', 'down', 'up']).map((region) =>
        region.region === 'sjc' ? { ...region, readings: [silent] } : region,
      ),
      at(),
    )
    const evidence = evidenceOf(groundOf(views), at())
    expect(statusSummary('GitHub', null, views, evidence, works)).toBe(
      'GitHub is down in 1 of 3 regions (sjc): no answer from sjc only, it timed out; it is up in fra and iad, measured 2026-11-20 11:59 UTC.',
    )
  })

  test('a certificate that is wrong in one region was an answer', () => {
    const wrong = readingOf('down', {
      unanswered: true,
      cause: 'certificate_expired',
      reason: 'the certificate has expired',
    })
    const views = viewRegions(
      heldAs(['up', 'down', 'up']).map((region) =>
        region.region === 'sjc' ? { ...region, readings: [wrong] } : region,
      ),
      at(),
    )
    const evidence = evidenceOf(groundOf(views), at())
    expect(statusSummary('GitHub', null, views, evidence, works)).toMatch(
      /^GitHub is down in 1 of 3 regions \(sjc\): the certificate has expired; it is up in/,
    )
  })

  test('a region whose silence is weighed was read, and is told apart', () => {
    const views = viewRegions(
      heldAs(['up', 'down', 'up', 'silent']).map((region) =>
        region.region === 'sjc' ? { ...region, weighedUntilMs: t0 + 1 } : region,
      ),
      at(),
    )
    const evidence = evidenceOf(groundOf(views), at())
    expect(statusSummary('GitHub', null, views, evidence, works)).toBe(
      'GitHub is up in 2 of 2 regions; no answer from sjc, which may be our own network; nrt not read, measured 2026-11-20 11:59 UTC.',
    )
  })

  test('of regions that say anything it is up or down only where the status is', () => {
    const any = fc.constantFrom<Seen>('up', 'down', 'blocked', 'silent', 'old', 'lying')
    fc.assert(
      fc.property(fc.array(any, { maxLength: 10 }), (seen) => {
        const status = serviceStatus(viewsOf(...seen))
        const summary = summaryOf(...seen)
        expect(summary.includes('GitHub is up in')).toBe(status === 'up')
        expect(summary.includes('GitHub is down in')).toBe(status.startsWith('down'))
        expect(summary.includes('cannot say')).toBe(status === 'blocked' || status === 'no_data')
      }),
    )
  })
})

describe('the summary says no more than the probes show', () => {
  const probesOf = (...grades: ProbeGrade[]): GradedProbe[] =>
    grades.map((grade, index) => ({
      url: `https://${['api', 'www'][index]}.acme.example/${grade === 'edge' ? 'robots.txt' : 'v1'}`,
      grade,
    }))
  /** @param good by region, the probes that are good there; the others are refused */
  const said = (probes: GradedProbe[], ...good: number[][]): string => {
    const held = good.map((each, index) => ({
      region: ['fra', 'iad'][index] ?? 'zzz',
      readings: probes.map((_, probe) => readingOf(each.includes(probe) ? 'up' : 'blocked', { probe })),
      quarantined: false,
    }))
    const views = viewRegions(held, at())
    return statusSummary('Acme', null, views, evidenceOf(groundOf(views), at()), probes)
  }

  test.each<[ProbeGrade[], number[][], string]>([
    [['works'], [[0], [0]], 'Acme is up in 2 of 2 regions,'],
    [
      ['answers'],
      [[0], [0]],
      'api.acme.example (Acme) answers in 2 of 2 regions, which does not show that all of Acme works,',
    ],
    [
      ['edge'],
      [[0], [0]],
      'api.acme.example/robots.txt (Acme) is served in 2 of 2 regions, which says little about whether Acme works,',
    ],
    [['edge', 'works'], [[0, 1], [1]], 'Acme is up in 2 of 2 regions,'],
    [
      ['answers', 'answers'],
      [[0, 1], [1]],
      'api.acme.example and www.acme.example (Acme) answer in 2 of 2 regions, which does not show that all of Acme works,',
    ],
    [
      ['answers', 'works'],
      [[0, 1], [0]],
      'api.acme.example and www.acme.example (Acme) answer in 2 of 2 regions, which does not show that all of Acme works,',
    ],
    [
      ['edge', 'answers'],
      [[0, 1], [1]],
      'www.acme.example (Acme) answers in 2 of 2 regions, which does not show that all of Acme works,',
    ],
    [
      ['edge', 'answers'],
      [[0], [0, 1]],
      'api.acme.example/robots.txt and www.acme.example (Acme) are served in 2 of 2 regions, which says little about whether Acme works,',
    ],
  ])('%j, good %j', (grades, good, sentence) => {
    expect(said(probesOf(...grades), ...good)).toBe(`${sentence} measured 2026-11-20 11:59 UTC.`)
  })

  test('of a service that fails somewhere too', () => {
    const [down, up] = [readingOf('down'), readingOf('up')]
    const views = viewRegions(
      [
        { region: 'fra', readings: [down], quarantined: false },
        { region: 'iad', readings: [up], quarantined: false },
      ],
      at(),
    )
    const evidence = evidenceOf(groundOf(views), at())
    expect(statusSummary('Acme', null, views, evidence, probesOf('answers'))).toMatch(
      /^Acme is down in 1 of 2 regions \(fra\): down for the test; it answers in iad,/,
    )
  })

  test('where the page changed', () => {
    const old = readingOf('up', { measuredAt: t0 - 3_600_000 })
    const views = viewRegions([{ region: 'fra', readings: [old], quarantined: false, changed: true }], at())
    const evidence = evidenceOf(groundOf(views), at())
    expect(statusSummary('Acme', null, views, evidence, probesOf('works'))).toBe(
      'The measured page of Acme changed, so we cannot say whether it is up or down; the last measurement was at 2026-11-20 11:00 UTC.',
    )
  })
})

describe('what was measured and decides nothing is said with why', () => {
  const of = (more: Partial<HeldRegion>, region: string | null = null, vantage = at().vantage) => {
    const held = ['fra', 'iad'].map((code) => ({
      region: code,
      readings: [],
      quarantined: false,
      ...more,
    }))
    const how = { ...at(), vantage }
    const views = viewRegions(
      held.filter((one) => region === null || one.region === region),
      how,
    )
    const evidence = evidenceOf(groundOf(views), how)
    return { evidence, summary: statusSummary('Acme', region, views, evidence, works) }
  }
  const failing = { why: 'unproven', reason: 'got 503', measuredAt: t0 - 4_000 } as const
  const unmeasured = { why: 'unmeasured', reason: 'no resolver', measuredAt: t0 - 4_000 } as const

  test('it fails and was never seen to work', () => {
    const { summary, evidence } = of({ undecided: [failing] })
    expect(summary).toBe(
      'Acme fails in 2 of 2 regions (got 503), but it has never worked from there, so we cannot say whether it is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence).toMatchObject({
      regionsRead: ['fra', 'iad'],
      freshness: { verdict: 'fresh', ageSeconds: 4 },
    })
    expect(of({ undecided: [failing] }, 'fra').summary).toMatch(/^Acme fails from fra \(got 503\)/)
  })

  test('it could not be measured', () => {
    const { summary, evidence } = of({ undecided: [unmeasured] })
    expect(summary).toBe(
      'Our probes could not measure Acme (no resolver), so we cannot say whether it is up or down.',
    )
    expect(evidence).toMatchObject({ regionsRead: [], measuredAt: null })
  })

  test('a region that was asked for is quarantined', () => {
    const readings = [readingOf('down', { measuredAt: t0 - 4_000 })]
    expect(of({ readings, quarantined: true }, 'fra').summary).toBe(
      'Readings of Acme from fra do not count because the network of that region fails, so we cannot say whether it is up or down.',
    )
  })

  test('the silence of a region that was asked for is weighed', () => {
    const readings = [readingOf('down', { measuredAt: t0 - 4_000, unanswered: true })]
    const { summary, evidence } = of({ readings, weighedUntilMs: t0 + 1 }, 'fra')
    expect(summary).toBe(
      'Acme does not answer from fra (down for the test), and we are checking whether our own network is at fault, so we cannot say whether it is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence).toMatchObject({ regionsRead: ['fra'], freshness: { ageSeconds: 4 } })
  })

  test('one failure after a gap is being asked again', () => {
    const suspect = { why: 'suspect', reason: 'got 503', measuredAt: t0 - 4_000 } as const
    const readings = [readingOf('up', { measuredAt: t0 - 3_600_000 })]
    const { summary, evidence } = of({ readings, undecided: [suspect] })
    expect(summary).toBe(
      'Acme failed from fra and iad (got 503) and is being retried, so we cannot say whether it is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence.freshness).toMatchObject({ verdict: 'fresh', ageSeconds: 4 })
  })

  test('this machine reaches many others neither', () => {
    const readings = [readingOf('down', { measuredAt: t0 - 4_000 })]
    const { summary, evidence } = of({ readings, doubted: true }, null, 'local')
    expect(summary).toBe(
      'From this machine, Acme does not answer (down for the test), like many unrelated services: the network of this machine may be at fault, so we cannot say whether Acme is up or down, measured 2026-11-20 11:59 UTC.',
    )
    expect(evidence.freshness).toMatchObject({ verdict: 'fresh', ageSeconds: 4 })
  })

  test('what is old decides nothing either', () => {
    expect(of({ undecided: [{ ...failing, measuredAt: t0 - 3_600_000 }] }).summary).toMatch(
      /^We have no recent measurement of Acme/,
    )
  })
})

describe('outside the catalog', () => {
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
  ])('%j is said not to be measured', (asked, didYouMean, summary) => {
    expect(notCoveredSummary(asked, didYouMean)).toBe(summary)
  })

  test('whatever was asked, the sentence is one bounded line with one quotation', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (asked) => {
        const summary = notCoveredSummary(asked, [])
        expect(summary).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        expect(summary.match(/"/g) ?? []).toHaveLength(summary.startsWith('"') ? 2 : 0)
        expect(summary.length).toBeLessThan(250)
      }),
    )
  })

  test('there is no evidence', () => {
    expect(evidenceOf(noGround, at())).toMatchObject({
      regionsRead: [],
      measuredAt: null,
      freshness: { verdict: 'no_data', ageSeconds: null, staleAfterSeconds: 180 },
    })
  })
})

describe('the evidence', () => {
  test.each<[Seen[], string[], string, number | null]>([
    [['up', 'old', 'blocked'], ['fra', 'iad'], 'fresh', 10],
    [['old', 'silent'], [], 'stale', 3_600],
    [['silent'], [], 'no_data', null],
    [['lying'], [], 'no_data', null],
  ])('of %j is read in %j and %s', (seen, regionsRead, verdict, ageSeconds) => {
    expect(evidenceOf(groundOf(viewsOf(...seen)), at())).toMatchObject({
      regionsRead,
      freshness: { verdict, ageSeconds },
    })
  })
})
