import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import type { Certificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { describe, expect, test } from 'vitest'
import { isOffDiagonal } from './judge.ts'
import { playCorpus, type Client } from './play.ts'
import { readRecord, recordFile, recordOf, recordText } from './record.ts'
import { figuresOf, type Measured, type MeasuredClass } from './table.ts'
import { createAgent } from './testing/agent.ts'
import { createBrowserHome } from './testing/browser-home.ts'
import { createCurl, startChromium } from './testing/oracles.ts'

/**
 * For every case a reading agrees with a real browser and curl, and with the record.
 * `CORPUS_DOCUMENT=write` writes the record.
 */

const atOnce = 4
/** The time for all cases, because Chromium opens each. */
const measureMsMax = 1_200_000

type Seen = Pick<Measured, 'statuses' | 'note'>

const measureAll = async (): Promise<{ classes: MeasuredClass[]; versions: string }> => {
  let browser = ''
  const start = async ({ ca }: Certificates): Promise<Client<Seen>> => {
    const folder = mkdtempSync(join(tmpdir(), 'probe-mesh-corpus-'))
    const caFile = join(folder, 'ca.pem')
    writeFileSync(caFile, ca)
    const home = await createBrowserHome(ca)
    const chromium = await startChromium({
      args: ['--host-resolver-rules=MAP *.example.com 127.0.0.1'],
      home: home.path,
    })
    browser = chromium.version
    const agent = createAgent(ca, { intervalSeconds: 25 })
    return {
      load: async (url) => {
        const { hostname, port } = new URL(url)
        const named = hostname.endsWith('.com') ? ['--resolve', `*:${port}:127.0.0.1`] : []
        const curl = createCurl(['--cacert', caFile, ...named])
        const [a, b, c] = await Promise.all([chromium.load(url), curl.load(url), agent(url)])
        return {
          statuses: { chromium: a.status, curl: b.status, ours: c.ours },
          note: `Chromium: ${a.status} ${a.message}; curl: ${b.status} ${b.message}; agent: ${c.cause}`,
        }
      },
      close: async () => {
        await chromium.close()
        home.remove()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  }
  const played = await playCorpus(start, { atOnce })
  const classes = played.map(({ name, cases }) => ({
    name,
    cases: cases.map(({ each, answer }) => ({ ...each, ...answer })),
  }))
  const curlVersion = execFileSync('curl', ['--version'], { encoding: 'utf8' }).split(' ')[1]
  return { classes, versions: `${browser} and curl ${curlVersion}` }
}

describe('the corpus', { timeout: measureMsMax }, () => {
  let made: ReturnType<typeof measureAll> | null = null
  const measured = () => (made ??= measureAll())

  test('gets from the agent the status on which Chromium and curl agree', async (context) => {
    const { classes } = await measured()
    const off = classes.flatMap(({ cases }) =>
      cases.flatMap((each) => (isOffDiagonal(each.statuses, each) ? [`${each.name}: ${each.note}`] : [])),
    )
    const { cases, answers, refusals, divided } = figuresOf(classes)
    await recordFigure(
      context,
      `${cases} cases: Chromium and curl read ${answers} and refuse ${refusals}, where the agent is off in ${off.length}; ` +
        `they differ on ${divided}`,
    )
    expect(off).toEqual([])
  })

  test('has a record that equals the current results', async () => {
    const { classes, versions } = await measured()
    const found = recordOf(classes)
    if (process.env['CORPUS_DOCUMENT'] === 'write') {
      writeFileSync(recordFile, recordText(found, versions))
      return
    }
    expect(found).toEqual(readRecord())
  })
})
