import CCurl

/// Curl's cookie engine, shared by all handles of one thread.
///
/// Threading: the client's thread only, which is why the share needs no locks.
final class CookieEngine {
  private let share: UnsafeMutableRawPointer
  /// A handle that never travels: the door to the share's list of cookies.
  private let door: UnsafeMutableRawPointer

  init(cookies: [Cookie]) {
    guard let share = curl_share_init(), let door = curl_easy_init() else {
      fatalError("curl has no memory")
    }
    self.share = share
    self.door = door
    ccurl_share_set_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_COOKIE.rawValue))
    attach(to: door)
    apply(cookies, replacing: false)
  }

  deinit {
    curl_easy_cleanup(door)
    curl_share_cleanup(share)
  }

  /// Lets a handle send and keep the cookies.
  func attach(to easy: UnsafeMutableRawPointer) {
    ccurl_easy_set_pointer(easy, CURLOPT_SHARE, share)
    ccurl_easy_set_string(easy, CURLOPT_COOKIEFILE, "")
  }

  /// Puts cookies in, beside the others or instead of them.
  func apply(_ cookies: [Cookie], replacing: Bool) {
    if replacing { ccurl_easy_set_string(door, CURLOPT_COOKIELIST, "ALL") }
    for cookie in cookies {
      // Netscape lines only: they carry their domain. A `Set-Cookie:` line without one would make
      // a cookie for every host (traps.md 2).
      ccurl_easy_set_string(door, CURLOPT_COOKIELIST, cookie.netscapeLine)
    }
  }

  /// All cookies it holds.
  func export() -> [Cookie] {
    var list: UnsafeMutablePointer<curl_slist>?
    ccurl_easy_get_list(door, CURLINFO_COOKIELIST, &list)
    defer { curl_slist_free_all(list) }
    var cookies: [Cookie] = []
    var next = list
    while let node = next {
      if let cookie = Cookie(netscapeLine: String(cString: node.pointee.data)) {
        cookies.append(cookie)
      }
      next = node.pointee.next
    }
    return cookies
  }
}
