// `node --import skew.ts`: shifts the system clock of this process by the offset in a file, in ms. Durations
// stay right: `performance.now` and timers use the monotonic clock.
import { readFileSync } from 'node:fs'

const file = process.env['SKEW_FILE'] ?? ''
const readMs = (): number => Number(readFileSync(file, 'utf8'))
let offsetMs = readMs()
process.on('SIGUSR2', () => {
  offsetMs = readMs()
})

const RealDate = Date
const now = (): number => RealDate.now() + offsetMs
globalThis.Date = new Proxy(RealDate, {
  construct: (_, args: unknown[], target) =>
    Reflect.construct(RealDate, args.length === 0 ? [now()] : args, target),
  apply: () => new RealDate(now()).toString(),
  get: (real, key, receiver) => (key === 'now' ? now : Reflect.get(real, key, receiver)),
})
