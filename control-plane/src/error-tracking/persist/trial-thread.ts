// The thread in which messages of the stream `ERRORS` are read on trial.
import { answerTrials } from '../../readings/trial/trial-reader.ts'
import { decodeErrorsMessage } from '../events/errors-message.ts'

answerTrials(({ data }) => decodeErrorsMessage(data))
