import { Session } from 'node:inspector'

// Loaded into a host with --import: SIGUSR2 collects its garbage as an idle host does, which lets V8 give back the room that a busy one took.
process.on('SIGUSR2', () => {
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()))
})
