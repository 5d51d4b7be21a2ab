import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { keepCompiled } from './keep-compiled.ts'

const home = mkdtempSync(join(tmpdir(), 'home-'))
afterAll(() => rmSync(home, { recursive: true }))
const name = 'terraform-provider-service'

/** The folder that is enabled. */
const keep = (environment: Record<string, string | undefined>): string[] => {
  const enabled: string[] = []
  keepCompiled(environment, (folder) => enabled.push(folder))
  return enabled
}

test.each<[Record<string, string | undefined>, string[]]>([
  [{ HOME: home }, [join(home, '.cache', name)]],
  [{ HOME: home, XDG_CACHE_HOME: join(home, 'own') }, [join(home, 'own', name)]],
  [{ HOME: home, XDG_CACHE_HOME: 'relative' }, [join(home, '.cache', name)]],
  [{ HOME: home, XDG_CACHE_HOME: '' }, [join(home, '.cache', name)]],
  [{ HOME: 'relative' }, []],
  [{}, []],
])('with %j compiled files are kept in %j', (environment, folders) => {
  expect(keep(environment)).toEqual(folders)
})

test('keeps the files of a few copies, and empties a folder of many', () => {
  const folder = join(home, '.cache', name)
  mkdirSync(join(folder, 'v24'), { recursive: true })
  const write = (count: number): void => {
    for (let n = 0; n < count; n++) writeFileSync(join(folder, 'v24', String(n)), '')
  }
  write(70)
  keep({ HOME: home })
  expect(readdirSync(join(folder, 'v24'))).toHaveLength(70)
  write(90)
  expect(keep({ HOME: home })).toEqual([folder])
  expect(readdirSync(join(home, '.cache'))).toEqual([])
})
