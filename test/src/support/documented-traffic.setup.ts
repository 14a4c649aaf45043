import { afterAll, afterEach } from 'vitest'
import { undocumentedAnswers } from './documented-traffic.js'

// A test fails when a host answered it otherwise than the OpenAPI document says.
afterEach(failOnUndocumented)
afterAll(failOnUndocumented)

function failOnUndocumented(): void {
  const faults = undocumentedAnswers()
  if (faults.length)
    throw new Error(`Answers that the OpenAPI document does not describe:\n${faults.join('\n')}`)
}
