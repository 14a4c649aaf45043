import { Provides } from '@keel/framework'
import { type Holder, HolderChanges, type HolderObserver } from '../contracts/index.js'

/** The identity module's {@link HolderChanges}: tells its observers one after the other. */
@Provides(HolderChanges)
export class HolderAnnouncer implements HolderChanges {
  private readonly observers: HolderObserver[] = []

  observe(observer: HolderObserver): void {
    this.observers.push(observer)
  }

  async renamed(holder: Holder, newKey: string): Promise<void> {
    for (const observer of this.observers) await observer.holderRenamed(holder, newKey)
  }

  async removed(holder: Holder): Promise<void> {
    for (const observer of this.observers) await observer.holderRemoved(holder)
  }
}
