// The thread that reads messages of the stream `ERRORS` first, so that a crash does not stop the
// process.
import { answerFirstReads } from '@probe-mesh/control-plane/src/readings/first-read/first-reader'
import { decodeErrorsMessage } from '../events/errors-message.ts'

answerFirstReads(({ data }) => decodeErrorsMessage(data))
