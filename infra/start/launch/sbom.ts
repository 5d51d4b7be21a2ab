// `npm run sbom`: the packages of production as CycloneDX, from the lockfile.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runNpm } from './npm.ts'
import { productionSbom } from './production-sbom.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const help = `Writes a bill of materials (CycloneDX, JSON) of the packages that run in production.

  npm run sbom                    to dist/sbom.cdx.json
  npm run sbom -- --out FILE      to FILE
  npm run -s sbom -- --stdout     to standard output
`
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist/sbom.cdx.json' },
    stdout: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) process.stdout.write(help)
else {
  const text = await productionSbom(root, runNpm)
  if (values.stdout) process.stdout.write(text)
  else {
    const file = resolve(process.env['INIT_CWD'] ?? root, values.out)
    const path = values.out === 'dist/sbom.cdx.json' ? resolve(root, values.out) : file
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    process.stdout.write(`wrote ${path}\n`)
  }
}
