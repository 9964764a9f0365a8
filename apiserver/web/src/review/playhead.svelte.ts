import type { Place } from "./report";

/** Where a recording is, and how others make it go elsewhere. The transcript, the
 *  chapters and what rests on words share one. */
export class Playhead {
  /** Milliseconds since the beginning of the recording. */
  now = $state(0);
  /** Whether it has been played, by whatever means. */
  begun = $state(false);
  /** The segment that somebody asked for last; null: none. */
  asked = $state<string | null>(null);
  #video = $state.raw<HTMLVideoElement | null>(null);
  #turn = $state(0);
  #plays = $state(0);
  #reveal = true;
  #written = false;

  /** Whether there is a recording. */
  get playable(): boolean {
    return this.#video !== null;
  }

  /** Rises with each request, also for the place of the one before. */
  get turn(): number {
    return this.#turn;
  }

  /** Whether what was asked for last can only be read, as an answer in writing. */
  get written(): boolean {
    return this.#written;
  }

  /** How often somebody asked for a place to be played. */
  get requests(): number {
    return this.#plays;
  }

  /** Takes the element that plays, and whether the page scrolls to it; the function that it returns lets it go. */
  attach(video: HTMLVideoElement, reveal = true): () => void {
    this.#video = video;
    this.#reveal = reveal;
    // In whole milliseconds, as words and answers begin: 2.01 s are 2009.9999999999998 ms.
    const follow = () => (this.now = Math.round(video.currentTime * 1000));
    const begin = () => (this.begun = true);
    for (const event of ["timeupdate", "seeking"]) video.addEventListener(event, follow);
    video.addEventListener("play", begin);
    return () => {
      this.#video = null;
      for (const event of ["timeupdate", "seeking"]) video.removeEventListener(event, follow);
      video.removeEventListener("play", begin);
    };
  }

  /** Plays from there. */
  play(ms: number): void {
    if (!this.#video) return;
    this.#video.currentTime = ms / 1000;
    this.now = ms;
    this.#video.play().catch(() => {}); // a browser may want a click first
    if (this.#reveal) this.#video.scrollIntoView({ block: "nearest" });
    this.#plays++;
  }

  /** Whether it was said in the recording. */
  plays(place: Place): boolean {
    return this.playable && place.end_ms > place.start_ms;
  }

  /** Shows what was said or written there, and plays it where it can be. */
  show(place: Place): void {
    this.asked = place.segment_id;
    this.#written = !this.plays(place);
    this.#turn++;
    if (this.plays(place)) this.play(place.start_ms);
  }
}
