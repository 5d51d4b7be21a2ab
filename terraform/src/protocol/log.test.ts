import { expect, test } from 'vitest'
import { createLog, lowestLevel } from './log.ts'

const at = new Date('2026-05-06T07:08:09.012Z')

test('a line is JSON with what Terraform reads, the time to six digits', () => {
  const lines: string[] = []
  const log = createLog({
    lowest: 'info',
    module: 'the-provider',
    now: () => at,
    write: (line) => lines.push(line),
  })
  log('debug', 'not asked for')
  log('warn', 'two\nlines')
  expect(lines).toEqual([
    '{"@level":"warn","@message":"two\\nlines","@module":"the-provider","@timestamp":"2026-05-06T07:08:09.012000Z"}\n',
  ])
})

test.each([
  [{}, 'error'],
  [{ TF_LOG: 'DEBUG' }, 'debug'],
  [{ TF_LOG: 'JSON' }, 'trace'],
  [{ TF_LOG: 'ERROR', TF_LOG_PROVIDER: 'Trace' }, 'trace'],
  [{ TF_LOG: 'off' }, 'error'],
])('%j asks for %s', (env, level) => {
  expect(lowestLevel(env)).toBe(level)
})
