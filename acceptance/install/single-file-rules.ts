import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTerminal } from '../cli/testing/terminal.ts'
import { startPlane, type Plane } from '../terraform/testing/stage.ts'
import { readManifest } from './testing/make-release.ts'
import { openNewcomer, type Newcomer } from './testing/newcomer.ts'

const platform = `linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`
const commands = ['probe-mesh-agent', 'probe-mesh-mcp-gateway', 'service']

/** The executables themselves. @param release the folder of a release */
export const singleFileRules = (release: () => string): void => {
  let own: Newcomer
  let plane: Plane
  const places = new Map<string, string>()

  beforeAll(async () => {
    ;[own, plane] = await Promise.all([openNewcomer(null), startPlane()])
    const { version } = await readManifest(release())
    for (const command of commands) {
      const name = `${command}-${version}-${platform}`
      await own.fetch(join(release(), `${name}.tar.gz`))
      expect(await own.type(`tar -xzf ${name}.tar.gz`)).toMatchObject({ exitCode: 0 })
      places.set(command, join(own.home, name, command))
    }
  })
  afterAll(async () => {
    await Promise.all([own?.close(), plane?.at.close()])
  })
  const at = (command: string): string => places.get(command) ?? ''

  test.each(commands)('%s --help names the command as people type it', async (command) => {
    const { exitCode, out, err } = await own.type(`${at(command)} --help`)
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
    expect(out).toMatch(new RegExp(`^(Usage:)? *${command}\\b`, 'm'))
    expect(out).not.toMatch(/npm (run|start)/)
  })

  test('an agent of one file refuses CHROMIUM, and says what runs browser checks', async () => {
    const { exitCode, err } = await own.type(at('probe-mesh-agent'), {
      CHROMIUM: '/usr/bin/chromium',
      REGION: 'fra',
      AGENT: 'fra-1',
      NATS_URL: 'nats://127.0.0.1:9',
    })
    expect(exitCode).not.toBe(0)
    expect(err).toContain('CHROMIUM must be off: this agent is one file')
    expect(err).not.toMatch(/\bat .*:\d+:\d+/)
  })

  test('service top draws in a terminal, and leaves it as it was', async () => {
    const apiKey = (await plane.at.account('growth')).writeKey
    await plane.at.call('POST', '/v1/checks', {
      key: apiKey,
      body: { name: 'web', url: 'https://web.example.com/' },
    })
    const terminal = await startTerminal({
      command: `echo before; ${at('service')} top; echo "left with $?"; exec sleep 600`,
      columns: 80,
      rows: 24,
      environment: {
        HOME: own.home,
        PATH: own.path,
        LANG: 'C.UTF-8',
        SERVICE_API_URL: plane.apiUrl,
        SERVICE_API_KEY: apiKey,
      },
    })
    try {
      const patience = { timeout: 60_000, interval: 100 }
      await vi.waitFor(async () => expect(await terminal.screen()).toMatch(/\bweb\b/), patience)
      expect((await terminal.mode()).isAlternate).toBe(true)
      await terminal.press('q')
      await vi.waitFor(async () => expect(await terminal.screen()).toContain('left with 0'), patience)
      expect(await terminal.screen()).toContain('before')
    } finally {
      await terminal.close()
    }
  })
}
