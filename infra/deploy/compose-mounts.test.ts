import { execFile } from 'node:child_process'
import { chmod, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFigure } from '../testing/figure.ts'
import { composeFolder, readDeployment, type Deployment } from './testing/compose-config.ts'

/**
 * The mounts and secrets of the full deployment's containers, as their user sees them after prepare.sh ran as
 * root.
 */
const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
const flags = ['--regions', 'fra,iad', '--host', 'status.example.com', '--mcp-host', 'mcp.example.com']

const folder = testFolder('mounts-')
let deployment: Deployment
beforeAll(async () => {
  if (!isRoot) return
  // like the parent folders of a deployment
  await chmod(folder, 0o711)
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  await run('bash', [join(composeFolder, 'prepare.sh'), ...flags], {
    env: { PATH: path, HOME: folder, MESH_STATE: join(folder, 'state') },
  })
  deployment = await readDeployment()
}, 240_000)
afterAll(() => (isRoot ? rm(folder, { recursive: true, force: true }) : undefined))

/** The path in this test of a file that prepare.sh would create next to compose.yaml. */
const placed = (source: string): string => source.replace(join(composeFolder, 'state'), join(folder, 'state'))

/** The access to a file, or to a folder and its content, that a user lacks. */
const refused = async (user: string, path: string, isChanged: boolean): Promise<string> => {
  const [uid = '', gid = ''] = user.split(':')
  const rights = isChanged ? '( -not -readable -o -not -writable )' : '-not -readable'
  const as = ['--reuid', uid, '--regid', gid, '--clear-groups']
  const { stdout } = await run('setpriv', [...as, 'find', path, ...rights.split(' ')])
  return stdout
}

test.skipIf(!isRoot)(
  'creates every mount and secret with access for the user of its container',
  async (context) => {
    let count = 0
    for (const [name, { user = '', volumes = [], secrets = [] }] of Object.entries(deployment.services)) {
      const mounts = volumes.filter(({ type }) => type === 'bind')
      for (const { source, read_only: isRead = false } of mounts) {
        // files of the checkout may have any owner and are world-readable
        if (!source.startsWith(join(composeFolder, 'state'))) {
          const { stdout } = await run('find', [source, '-not', '-perm', '-o=r'])
          expect([name, source, stdout, isRead]).toEqual([name, source, '', true])
        } else
          expect([name, source, await refused(user, placed(source), !isRead)]).toEqual([name, source, ''])
        count += 1
      }
      for (const { source } of secrets) {
        const file = placed(deployment.secrets[source]?.file ?? '')
        expect([name, file, await refused(user, file, false)]).toEqual([name, file, ''])
        count += 1
      }
    }
    expect(count).toBeGreaterThan(80)
    await recordFigure(
      context,
      `mounts and secrets of ${Object.keys(deployment.services).length} containers: ${count}`,
    )
  },
)
