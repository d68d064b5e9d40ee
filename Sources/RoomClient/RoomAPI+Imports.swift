package import RoomProtocol
import Transport

extension RoomAPI {
  /// Asks the server to import from an address.
  ///
  /// - Parameter url: the address, as people give it.
  /// - Returns: one track that is on its way, of which an answer in other words tells no more; or a
  ///   list that may want to be confirmed.
  /// - Throws: `RoomError`.
  package func fetch(_ url: String) async throws(RoomError) -> FetchAnswer {
    var request = request(.fetch)
    // The server looks at the address first, and says nothing until it has.
    request.hasIdleTimeout = false
    let response = try await send(.fetch, body: RequestBody.Fetch(url: url), request)
    return told(response) ?? .single(id: nil, title: nil, queueType: nil)
  }

  /// Confirms the import of a list.
  ///
  /// - Parameter confirmation: the list's title, and those entries that are wanted.
  /// - Returns: what the server tells of it; empty where the answer tells nothing.
  /// - Throws: `RoomError`.
  package func confirmFetch(
    _ confirmation: FetchConfirmation
  ) async throws(RoomError) -> FetchReceipt {
    told(try await send(.confirmFetch, body: confirmation)) ?? FetchReceipt()
  }

  /// Lists the imports, whatever shape the server gives them.
  ///
  /// - Returns: the jobs that could be read.
  /// - Throws: `RoomError`.
  package func fetchJobs() async throws(RoomError) -> FetchJobList {
    try decode(try await send(.fetchJobs), .fetchJobs)
  }

  /// Cancels an import.
  ///
  /// - Parameter id: the import.
  /// - Throws: `RoomError`.
  package func cancelFetch(_ id: FetchID) async throws(RoomError) {
    _ = try await send(.cancelFetch(id))
  }

  /// Cancels all imports.
  ///
  /// - Throws: `RoomError`.
  package func cancelAllFetches() async throws(RoomError) {
    _ = try await send(.cancelAllFetches)
  }
}
