import { createHash } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundleProvider } from './src/package/bundle.ts'
import manifest from './package.json' with { type: 'json' }
import { zipOf } from './src/package/zip.ts'

/**
 * `npm run build -w terraform` builds the provider for Node 22 or newer, and a filesystem mirror, in
 * `terraform/dist` or the folder given as an argument.
 */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const dist = process.argv[2] ?? here('dist')
const name = 'terraform-provider-service'
const { version } = manifest

/**
 * A shell script and JavaScript at once. When the handshake fails, Terraform shows only the first line that the
 * provider prints.
 */
const head = `#!/bin/sh
':' //; command -v node >/dev/null 2>&1 || { echo '${name} needs Node.js 22 or newer in PATH'; exit 1; }; exec node "$0" "$@"
if (Number(process.versions.node.split('.')[0]) < 22) { console.log('${name} needs Node.js 22 or newer, and this is ' + process.versions.node); process.exit(1) }
`
/** As a mirror names them. All platforms get the same script. */
const platforms = ['linux_amd64', 'linux_arm64', 'darwin_amd64', 'darwin_arm64']
const source = 'registry.terraform.io/probe-mesh/service'

/** A fixed time, so that the same entries give the same bytes. */
const time = new Date(1980, 0, 1)

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
const [start] = await bundleProvider('src/start.ts', 'cjs')
const parts = await bundleProvider('src/main.ts', 'cjs')
const early = parts[0]?.imports.filter((each) => !each.startsWith('node:')) ?? []
if (early.length > 0) throw new Error(`main.js loads ${early.join(', ')} at each start`)

const files = [
  // Node takes the module type of a file without an extension from the nearest package.json, perhaps outside .terraform
  { name: 'package.json', bytes: Buffer.from('{"type":"commonjs"}\n'), mode: 0o644 },
  ...parts.map(({ fileName, code }) => ({ name: fileName, bytes: Buffer.from(code), mode: 0o644 })),
]
const executable = { name, bytes: Buffer.from(`${head}${start?.code}require('./main.js')\n`), mode: 0o755 }
for (const { name, bytes, mode } of [executable, ...files]) {
  await writeFile(`${dist}/${name}`, bytes)
  await chmod(`${dist}/${name}`, mode)
}
const archive = await zipOf([{ ...executable, name: `${name}_v${version}` }, ...files], time)
const mirror = `${dist}/mirror/${source}`
await mkdir(mirror, { recursive: true })
for (const platform of platforms) {
  await writeFile(`${mirror}/${name}_${version}_${platform}.zip`, archive)
}
const all = Buffer.concat([executable, ...files].map(({ bytes }) => bytes))
const digest = createHash('sha256').update(all).digest('hex')
process.stdout.write(`${Math.ceil(all.length / 1024)} KB  ${dist}/${name} and its parts  sha256 ${digest}\n`)
process.stdout.write(`${Math.ceil(archive.length / 1024)} KB  ${dist}/mirror, for ${platforms.join(', ')}\n`)
