import { brotliCompressSync } from 'node:zlib'
import type { BenchContext } from '../harness/run-bench.ts'
import type { Filled } from './fill.ts'

/** Files that pages load once, by what they are, with the most that they may have together, KB. */
const kinds = [
  { figure: 'assets_style', atMost: 15, path: /\.css$/ },
  { figure: 'assets_base_script', atMost: 20, path: /\/pages-[^/]*\.js$/ },
  { figure: 'assets_chart_script', atMost: 25, path: /\/chart-[^/]*\.js$/ },
  { figure: 'assets_fonts', atMost: 90, path: /\.woff2$/ },
] as const

const assetPaths = (text: string): string[] => text.match(/\/assets\/[\w.-]+/g) ?? []

/** What style, scripts and fonts of the pages cost a browser without a cache, in brotli; fonts are compressed already. */
export const measureAssets = async (
  { log, report }: BenchContext,
  { app, filled }: { app: string; filled: Filled },
): Promise<void> => {
  log('assets: style, scripts and fonts of the page of a check')
  const read = async (path: string): Promise<Buffer> => {
    const headers = { cookie: filled.cookies[0] ?? '', 'accept-encoding': 'identity' }
    const answer = await fetch(`${app}${path}`, { headers })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
    return Buffer.from(await answer.arrayBuffer())
  }
  const page = (await read(`/dashboard/checks/${filled.checkId}`)).toString()
  const named = new Set(assetPaths(page))
  // the style sheet names the fonts
  for (const path of [...named].filter((each) => each.endsWith('.css'))) {
    for (const font of assetPaths((await read(path)).toString())) named.add(font)
  }
  for (const { figure, atMost, path: ofKind } of kinds) {
    const paths = [...named].filter((path) => ofKind.test(path))
    if (paths.length === 0) throw new Error(`no asset is a ${figure}`)
    const bodies = await Promise.all(paths.map(read))
    const bytes = bodies.map((body, at) =>
      paths[at]?.endsWith('.woff2') === true ? body.length : brotliCompressSync(body).length,
    )
    const total = bytes.reduce((sum, each) => sum + each, 0)
    report({ figure, runs: [total / 1_024], unit: 'KB', aim: { atMost }, context: { files: paths.length } })
  }
}
