import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { matrixIn, withMatrix } from './matrix-document.ts'
import { casesOf, matrixProblems, measureMatrix } from './measure-matrix.ts'

test('docs/security.md records that no path reaches a non-public address (update: `npm run security`)', async ({
  annotate,
}) => {
  const rows = await measureMatrix()
  expect(matrixProblems(rows)).toEqual([])
  await recordFigure({ annotate }, `${casesOf(rows)} cases of ${rows.length} kinds refused`)
  const document = await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8')
  expect(matrixIn(document)).toBe(matrixIn(withMatrix(document, rows, '2026-01-01')))
})

test.each(['security.md', 'overload.md'])('every file named in docs/%s exists', async (name) => {
  const root = new URL('../../', import.meta.url)
  const text = await readFile(new URL(`docs/${name}`, root), 'utf8')
  const paths = [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)+\.ts)`/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(0)
  const exists = (path: string) =>
    ['', 'control-plane/src/', 'probe-agent/src/'].some((folder) =>
      existsSync(new URL(`${folder}${path}`, root)),
    )
  expect(paths.filter((path) => !exists(path))).toEqual([])
})
