// The thread that decodes messages of the stream `ERRORS` on trial, so that a crash does not stop the
// process.
import { answerTrials } from '../../readings/first-read/first-reader.ts'
import { decodeErrorsMessage } from '../events/errors-message.ts'

answerTrials(({ data }) => decodeErrorsMessage(data))
