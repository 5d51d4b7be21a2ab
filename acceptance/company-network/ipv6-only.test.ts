import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('testing/ipv6-only-inside.ts', import.meta.url))
const folder = testFolder('ipv6-only-')

test(
  'a host without IPv4 runs the whole mesh: it is ready, measures and answers',
  { timeout: 600_000 },
  async () => {
    const ip = await findDebianProgram('iproute2', { program: 'ip', mayFetch: true })
    const setUp = `"$0" link set lo up && "$0" addr del 127.0.0.1/8 dev lo && exec "$@"`
    const inside = [process.execPath, script, folder]
    const args = ['--map-root-user', '--net', 'sh', '-c', setUp, ip, ...inside]
    const { stdout } = await promisify(execFile)('unshare', args, { timeout: 580_000 })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      ipv4: [],
      status: 'operational',
      tools: 200,
    })
  },
)
