// The thread that reads one import: a large document takes seconds, in which the control plane must go on.
import { parentPort, workerData } from 'node:worker_threads'
import { readText, type ReadQuestion } from './read-text.ts'

parentPort?.postMessage(readText(workerData as ReadQuestion), [])
