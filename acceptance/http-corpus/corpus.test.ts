import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sayFigure } from '@probe-mesh/infra/testing/figure'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { allowing } from '@probe-mesh/probe-agent/request/testing/ask'
import { createCertificates } from '@probe-mesh/probe-agent/request/testing/certificates'
import { setUp } from '@probe-mesh/probe-agent/run/testing/run'
import { describe, expect, test } from 'vitest'
import { corpus } from './corpus.ts'
import { isOffDiagonal } from './judge.ts'
import { setUpClasses } from './set-ups.ts'
import { corpusDocument, figuresOf } from './table.ts'
import type { Measured, MeasuredClass } from './table.ts'
import { createBrowserHome } from './testing/browser-home.ts'
import { createCurl, startChromium } from './testing/oracles.ts'
import { startCorpusServer } from './testing/server.ts'

/** What a person's browser and curl read of an answer is what a reading says, for every case. */

const atOnce = 4
/** So long for the whole: Chromium opens each case. */
const measureMsMax = 1_200_000

type Job = { name: string; run(): Promise<Measured> }

const work = async (jobs: readonly Job[]): Promise<Map<Job, Measured>> => {
  const measured = new Map<Job, Measured>()
  const left = [...jobs]
  const one = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      measured.set(job, await job.run())
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return measured
}

const measureAll = async (): Promise<{ classes: MeasuredClass[]; versions: string }> => {
  const certificates = createCertificates()
  const folder = mkdtempSync(join(tmpdir(), 'probe-mesh-corpus-'))
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, certificates.ca)
  const home = await createBrowserHome(certificates.ca)
  const all = corpus.flatMap(({ cases }) => cases)
  const server = await startCorpusServer(all)
  const chromium = await startChromium({
    args: ['--host-resolver-rules=MAP *.example.com 127.0.0.1'],
    home: home.path,
  })
  const { run } = setUp({
    allow: allowing('127.0.0.0/8', '::1'),
    resolver: { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] },
    trust: createTrust([certificates.ca]),
  })
  const take = async (url: string): Promise<Pick<Measured, 'taken' | 'note'>> => {
    const { hostname, port } = new URL(url)
    const named = hostname.endsWith('.com') ? ['--resolve', `*:${port}:127.0.0.1`] : []
    const curl = createCurl(['--cacert', caFile, ...named])
    const [a, b, reading] = await Promise.all([
      chromium.ask(url),
      curl.ask(url),
      run(url, { intervalSeconds: 25 }),
    ])
    // a status that is not 2xx is an answer that was read, and is judged as it is
    const isRead = reading.verdict === 'up' || reading.cause === 'status_mismatch'
    return {
      taken: { chromium: a.status, curl: b.status, ours: isRead ? reading.httpStatus : null },
      note: `Chromium: ${a.status} ${a.said}; curl: ${b.status} ${b.said}; agent: ${reading.cause}`,
    }
  }
  let number = 0
  const answers = corpus.map(({ name, cases }) => ({
    name,
    jobs: cases.map((each): Job => {
      const url = `http://c${number}.example.com:${server.port}/`
      number += 1
      return { name: each.name, run: async () => ({ ...each, ...(await take(url)) }) }
    }),
  }))
  const setUps = setUpClasses.map(({ name, setUps }) => ({
    name,
    jobs: setUps.map(({ start, ...each }): Job => {
      const host = `s${number}.example.com`
      number += 1
      const run = async (): Promise<Measured> => {
        const started = await start(host, certificates)
        try {
          return { ...each, ...(await take(started.url)) }
        } finally {
          started.close()
        }
      }
      return { name: each.name, run }
    }),
  }))
  try {
    const both = [...setUps, ...answers]
    const measured = await work(both.flatMap(({ jobs }) => jobs))
    const classes = both.map(({ name, jobs }) => ({
      name,
      cases: jobs.flatMap((job) => measured.get(job) ?? []),
    }))
    const curlVersion = execFileSync('curl', ['--version'], { encoding: 'utf8' }).split(' ')[1]
    return { classes, versions: `${chromium.version} and curl ${curlVersion}` }
  } finally {
    await Promise.all([server.close(), chromium.close()])
    certificates.remove()
    home.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the corpus', { timeout: measureMsMax }, () => {
  let made: ReturnType<typeof measureAll> | null = null
  const measured = () => (made ??= measureAll())

  test('is answered by the agent as Chromium and curl agree', async (context) => {
    const { classes } = await measured()
    const off = classes.flatMap(({ cases }) =>
      cases.flatMap((each) =>
        isOffDiagonal(each.taken, each) ? [`${each.name}: ${each.note}`] : [],
      ),
    )
    const { cases, answers, refusals, divided } = figuresOf(classes)
    await sayFigure(
      context,
      `${cases} cases: Chromium and curl read ${answers} and refuse ${refusals}, where the agent is off in ${off.length}; ` +
        `they differ on ${divided}`,
    )
    expect(off).toEqual([])
  })

  test('is of the size that it says', async () => {
    const { classes } = await measured()
    const { classes: count, answers, refusals, published, exceptions } = figuresOf(classes)
    expect(answers + refusals).toBeGreaterThanOrEqual(300)
    expect(count).toBeGreaterThanOrEqual(20)
    expect(refusals).toBeGreaterThanOrEqual(60)
    expect(published).toBeGreaterThanOrEqual(60)
    expect(exceptions).toBeLessThanOrEqual(10)
    for (const { name, cases } of classes) {
      expect(cases.length, name).toBeLessThanOrEqual(20)
      expect(new Set(cases.map((each) => each.name)).size, name).toBe(cases.length)
    }
  })

  test('is in the documents as it was measured, where these are the versions', async (context) => {
    const { classes, versions } = await measured()
    const file = new URL('../../docs/http-corpus.md', import.meta.url)
    if (process.env['CORPUS_DOCUMENT'] === 'write') {
      writeFileSync(file, corpusDocument(classes, versions))
      return
    }
    const said = readFileSync(file, 'utf8')
    if (!said.includes(versions)) return context.skip('written with other versions')
    expect(rowsOf(said)).toEqual(rowsOf(corpusDocument(classes, versions)))
  })
})

/** What the tables say, however they are laid out. */
const rowsOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^\| (?!-|case)/.test(line))
    .map((line) => line.replaceAll(/ +/g, ' '))
