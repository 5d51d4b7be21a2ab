import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installPackage } from '@probe-mesh/acceptance/cli/install-package'
import type { Figure } from './harness/figure.ts'
import { withClosers, withFolder } from './harness/scope.ts'
import { growthFigure } from './harness/growth.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { ratios } from './harness/statistics.ts'
import { takeTurns } from './harness/turns.ts'
import { cpuMsOfEndedChildren } from './harness/usage.ts'

const fileSizes = [1, 50, 100, 1_000, 5_000, 10_000] as const
const growthSizes = [100, 1_000, 10_000] as const
const ratioAims: Readonly<Record<string, Figure['aim']>> = {
  version: { atMost: 1.5 },
  validate_50: { atMost: 3.5 },
}
const wallAims: Readonly<Record<string, Figure['aim']>> = { validate_5000: { atMost: 1_000 } }

/** Wall time and CPU of the installed command line, beside a Node that does nothing. */
export const measureCli = (context: BenchContext): Promise<void> =>
  withFolder((folder) =>
    withClosers(async (keep) => {
      context.log('packing and installing the command line')
      const { script } = keep(await installPackage())
      await measureIn(context, folder, script)
    }),
  )

const measureIn = async (
  { quick, log, report }: BenchContext,
  folder: string,
  script: string,
): Promise<void> => {
  const empty = join(folder, 'empty.mjs')
  await writeFile(empty, '')
  const commands: Record<string, string[]> = {
    empty: [empty],
    version: [script, '--version'],
    help: [script, '--help'],
  }
  for (const size of fileSizes) {
    const file = join(folder, `${size}.yaml`)
    await writeFile(file, fileOf(size))
    commands[`validate_${size}`] = [script, 'validate', '-f', file]
  }

  const count = quick ? 5 : 25
  log(`${count} rounds of ${Object.keys(commands).length} commands`)
  const turns = Object.entries(commands).map(([name, args]) => [name, async () => run(args)] as const)
  const rounds = await takeTurns(count, Object.fromEntries(turns))
  const of = (name: string, figure: keyof Run): number[] =>
    rounds.map((round) => round[name]?.[figure] ?? Number.NaN)
  for (const name of Object.keys(commands)) {
    report({ figure: `${name}_wall`, runs: of(name, 'wallMs'), unit: 'ms', aim: wallAims[name] })
    report({ figure: `${name}_cpu`, value: mean(of(name, 'cpuMs')), unit: 'CPU ms' })
    if (name === 'empty') continue
    report({
      figure: `${name}_to_empty`,
      runs: ratios(of(name, 'wallMs'), of('empty', 'wallMs')),
      unit: 'ratio',
      aim: ratioAims[name],
    })
  }
  report(
    growthFigure({
      figure: 'validate_cpu',
      of: '`service validate`',
      in: 'checks in the file',
      unit: 'CPU ms',
      steps: growthSizes.map((work) => ({ work, cost: mean(of(`validate_${work}`, 'cpuMs')) })),
    }),
  )
}

type Run = { wallMs: number; cpuMs: number }

const run = (args: readonly string[]): Run => {
  const [cpuMs, from] = [cpuMsOfEndedChildren(), performance.now()]
  execFileSync(process.execPath, args, { stdio: 'ignore' })
  return { wallMs: performance.now() - from, cpuMs: cpuMsOfEndedChildren() - cpuMs }
}

/** The kernel counts CPU in ticks of 10 ms, so that a median of single runs says little. */
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Checks as people declare them: a name, a URL, an interval, regions, assertions. */
const fileOf = (checks: number): string =>
  [
    'version: 1',
    'checks:',
    ...Array.from({ length: checks }, (_, n) =>
      [
        `  - name: check ${n}`,
        `    url: https://service-${n}.example.com/health`,
        '    intervalSeconds: 60',
        ...(n % 2 === 0 ? ['    regions: [iad, fra]'] : []),
        ...(n % 4 === 0 ? ['    assertionBodyOp: contains', '    assertionBodyValue: "ok"'] : []),
      ].join('\n'),
    ),
    '',
  ].join('\n')
