import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundleCommandLine } from './src/package/bundle.ts'
import { licencesOf } from './src/package/licences.ts'

/** `npm run build -w cli`: bundles the executable to `cli/dist`. */
const dist = fileURLToPath(new URL('dist', import.meta.url))

const { files, modules } = await bundleCommandLine()
await rm(dist, { recursive: true, force: true })
await mkdir(dist)
for (const [name, code] of files) {
  await writeFile(`${dist}/${name}`, code)
  process.stdout.write(
    `${String(Math.ceil(Buffer.byteLength(code) / 1024)).padStart(6)} KB  cli/dist/${name}\n`,
  )
}
await chmod(`${dist}/service.js`, 0o755)
await writeFile(`${dist}/LICENCES.txt`, await licencesOf(modules))
