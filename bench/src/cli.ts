import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installPackage } from '@probe-mesh/acceptance/cli/install-package'
import type { Figure } from './figure.ts'
import { withFolder } from './folder.ts'
import { growthFigure } from './growth.ts'
import type { BenchContext } from './run-bench.ts'
import { median } from './statistics.ts'
import { cpuMsOfEndedChildren } from './usage.ts'

/** How often each is run: in turns, so that what else the machine does meets all of them. */
const rounds = 25
const roundsQuick = 5

const fileSizes = [1, 50, 100, 1_000, 5_000, 10_000] as const
const growthSizes = [100, 1_000, 10_000] as const
const aims: Readonly<Record<string, Figure['aim']>> = {
  version: { atMost: 1.5 },
  validate_50: { atMost: 3.5 },
}
const wallAims: Readonly<Record<string, Figure['aim']>> = { validate_5000: { atMost: 600 } }

/** Wall and CPU of the installed command line, beside a Node that does nothing. */
export const measureCli = async (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    context.say('packing and installing the command line')
    const installed = await installPackage()
    try {
      await measureIn(context, folder, installed.script)
    } finally {
      await installed.close()
    }
  })

const measureIn = async (
  { quick, say, report }: BenchContext,
  folder: string,
  script: string,
): Promise<void> => {
  const empty = join(folder, 'empty.mjs')
  await writeFile(empty, '')
  const commands = new Map<string, string[]>([
    ['empty', [empty]],
    ['version', [script, '--version']],
    ['help', [script, '--help']],
  ])
  for (const size of fileSizes) {
    const file = join(folder, `${size}.yaml`)
    await writeFile(file, fileOf(size))
    commands.set(`validate_${size}`, [script, 'validate', '-f', file])
  }

  const runs = new Map([...commands.keys()].map((name) => [name, { wallMs: [], cpuMs: 0 } as Runs]))
  const count = quick ? roundsQuick : rounds
  say(`${count} rounds of ${commands.size} commands`)
  for (let round = 0; round < count; round++) {
    for (const [name, args] of commands) {
      const of = runs.get(name)
      if (of === undefined) throw new Error(`nothing is known of ${name}`)
      const [cpuMs, from] = [cpuMsOfEndedChildren(), performance.now()]
      execFileSync(process.execPath, args, { stdio: 'ignore' })
      of.wallMs.push(performance.now() - from)
      of.cpuMs += cpuMsOfEndedChildren() - cpuMs
    }
  }
  reportRuns(report, runs, count)
  reportGrowth(report, runs, count)
}

type Runs = { wallMs: number[]; cpuMs: number }

const reportRuns = (
  report: BenchContext['report'],
  runs: ReadonlyMap<string, Runs>,
  count: number,
): void => {
  const floor = runs.get('empty')
  if (floor === undefined) throw new Error('the floor was not measured')
  for (const [name, { wallMs, cpuMs }] of runs) {
    const aim = wallAims[name]
    report({ figure: `${name}_wall`, value: median(wallMs), unit: 'ms', ...(aim && { aim }) })
    report({ figure: `${name}_cpu`, value: cpuMs / count, unit: 'CPU ms' })
  }
  for (const [name, { wallMs }] of runs) {
    if (name === 'empty') continue
    const ratios = wallMs.map((ms, round) => ms / (floor.wallMs[round] ?? Number.NaN))
    const aim = aims[name]
    report({
      figure: `${name}_to_empty`,
      value: median(ratios),
      unit: 'ratio',
      ...(aim && { aim }),
    })
  }
}

const reportGrowth = (
  report: BenchContext['report'],
  runs: ReadonlyMap<string, Runs>,
  count: number,
): void =>
  report(
    growthFigure({
      figure: 'validate_cpu',
      of: '`service validate`',
      in: 'checks in the file',
      unit: 'CPU ms',
      steps: growthSizes.map((work) => ({
        work,
        cost: (runs.get(`validate_${work}`)?.cpuMs ?? Number.NaN) / count,
      })),
    }),
  )

/** Checks as people declare them: a name, a target, an interval, regions, what is expected. */
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
